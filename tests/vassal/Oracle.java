// What VASSAL's own classes make of a text, a grid or a zone; tests/vassal.rs compares it with ours.

import java.awt.Dimension;
import java.awt.Point;
import java.awt.Polygon;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import VASSAL.build.Buildable;
import VASSAL.build.module.map.boardPicker.Board;
import VASSAL.build.module.map.boardPicker.board.HexGrid;
import VASSAL.build.module.map.boardPicker.board.MapGrid;
import VASSAL.build.module.map.boardPicker.board.SquareGrid;
import VASSAL.build.module.map.boardPicker.board.mapgrid.HexGridNumbering;
import VASSAL.build.module.map.boardPicker.board.mapgrid.PolygonEditor;
import VASSAL.build.module.map.boardPicker.board.mapgrid.RegularGridNumbering;
import VASSAL.build.module.map.boardPicker.board.mapgrid.SquareGridNumbering;
import VASSAL.tools.SequenceEncoder;
import VASSAL.tools.io.DeobfuscatingInputStream;
import VASSAL.tools.io.ObfuscatingOutputStream;

public class Oracle {
    /** A board of a given size. */
    static class SizedBoard extends Board {
        final Dimension size;
        SizedBoard(Dimension size) { this.size = size; }
        @Override public Dimension getSize() { return size; }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(new BufferedOutputStream(System.out), false, "UTF-8");
        switch (args[0]) {
        case "decode":
            try (InputStream from = new DeobfuscatingInputStream(Files.newInputStream(Path.of(args[1])))) { from.transferTo(out); }
            break;
        case "encode":
            OutputStream to = new ObfuscatingOutputStream(out);
            Files.copy(Path.of(args[1]), to);
            to.flush();
            break;
        case "split":
            for (String line; (line = in.readLine()) != null;) {
                String[] words = line.split(" ", -1);
                SequenceEncoder.Decoder decoder = new SequenceEncoder.Decoder(unhex(words[1]), unhex(words[0]).charAt(0));
                StringBuilder parts = new StringBuilder();
                while (decoder.hasMoreTokens()) parts.append(hex(decoder.nextToken())).append(' ');
                out.println(parts.toString().trim());
            }
            break;
        case "join":
            for (String line; (line = in.readLine()) != null;) {
                String[] words = line.split(" ", -1);
                SequenceEncoder encoder = new SequenceEncoder(unhex(words[0]).charAt(0));
                for (int i = 1; i < words.length; i++) encoder.append(unhex(words[i]));
                out.println(hex(encoder.getValue()));
            }
            break;
        case "grid":
            // `hex WIDTH HEIGHT key=value ... | key=value ...` begins a grid, `X Y` asks for a name on it.
            RegularGridNumbering numbering = null;
            for (String line; (line = in.readLine()) != null;) {
                if (line.startsWith("hex") || line.startsWith("square")) {
                    numbering = grid(line);
                } else {
                    out.println(name(numbering, point(line)));
                }
            }
            break;
        case "polygon":
            Polygon polygon = new Polygon();
            for (String line; (line = in.readLine()) != null;) {
                if (line.contains(",")) {
                    polygon = new Polygon();
                    PolygonEditor.reset(polygon, line);
                } else {
                    out.println(polygon.contains(point(line)));
                }
            }
            break;
        default:
            throw new IllegalArgumentException(args[0]);
        }
        out.flush();
    }

    static Point point(String line) {
        String[] words = line.split(" ");
        return new Point(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
    }

    static RegularGridNumbering grid(String line) {
        String[] halves = line.split("\\|", 2);
        String[] words = halves[0].trim().split(" ");
        SizedBoard board = new SizedBoard(new Dimension(Integer.parseInt(words[1]), Integer.parseInt(words[2])));
        boolean isHex = words[0].equals("hex");
        HexGrid hexes = new HexGrid();
        SquareGrid squares = new SquareGrid();
        for (int i = 3; i < words.length; i++) {
            String[] pair = words[i].split("=", 2);
            if (isHex) hexes.setAttribute(pair[0], pair[1]); else squares.setAttribute(pair[0], pair[1]);
        }
        if (isHex) hexes.addTo(board); else squares.addTo(board);
        RegularGridNumbering numbering = isHex ? new HexGridNumbering() : new SquareGridNumbering();
        for (String attribute : halves[1].trim().split(" ")) {
            String[] pair = attribute.split("=", 2);
            numbering.setAttribute(pair[0], pair[1]);
        }
        numbering.addTo(isHex ? (Buildable) hexes : (Buildable) squares);
        return numbering;
    }

    /** The name without the format of locations, which needs a whole module. */
    static String name(RegularGridNumbering numbering, Point point) throws Exception {
        Method name = RegularGridNumbering.class.getDeclaredMethod("getName", int.class, int.class);
        name.setAccessible(true);
        return (String) name.invoke(numbering, numbering.getRow(new Point(point)), numbering.getColumn(new Point(point)));
    }

    static String hex(String text) {
        StringBuilder out = new StringBuilder("x");
        for (byte part : text.getBytes(StandardCharsets.UTF_8)) out.append(String.format("%02x", part));
        return out.toString();
    }

    static String unhex(String hex) {
        byte[] bytes = new byte[(hex.length() - 1) / 2];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) Integer.parseInt(hex.substring(1 + 2 * i, 3 + 2 * i), 16);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
