// Opens a module, and saved games and logs of it, in VASSAL itself, and prints what stands where and what the chat says.

import java.awt.Point;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import javax.swing.text.JTextComponent;
import VASSAL.build.GameModule;
import VASSAL.build.module.BasicLogger;
import VASSAL.build.module.Chatter;
import VASSAL.build.module.Map;
import VASSAL.build.module.WizardSupport;
import VASSAL.command.Command;
import VASSAL.counters.GamePiece;
import VASSAL.counters.Stack;
import VASSAL.launch.Player;

public class Opener extends Player {
    static String[] files;

    Opener(String[] args) { super(args); }

    public static void main(String[] args) {
        files = args;
        new Opener(new String[] {"--standalone", args[0]});
    }

    @Override protected void launch() throws IOException {
        try {
            GameModule.init(createModule(createDataArchive()));
            GameModule module = GameModule.getGameModule();
            // Nobody is there to answer the questions of a wizard.
            for (Field field : GameModule.class.getDeclaredFields()) {
                if (field.getType() == WizardSupport.class) {
                    field.setAccessible(true);
                    field.set(module, new WizardSupport() { @Override public void showGameSetupWizard() {} });
                }
            }
            System.out.println("module " + module.getGameName());
            for (int i = 1; i < files.length; i++) {
                if (files[i].endsWith(".dots")) nameDots(files[i]); else open(module, new File(files[i]));
            }
            System.out.println("done");
        }
        catch (Throwable thrown) {
            thrown.printStackTrace(System.out);
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    static void open(GameModule module, File file) throws Exception {
        System.out.println("file " + file.getName());
        // Nobody is there to say whether the game before is to be saved.
        Field started = VASSAL.build.module.GameState.class.getDeclaredField("gameStarted");
        started.setAccessible(true);
        started.set(module.getGameState(), false);
        // What is read names pieces of the game at hand.
        module.getGameState().setup(false);
        Command all = module.getGameState().decodeSavedGame(file);
        module.getGameState().setup(false);
        // A failure is thrown, not shown in a window.
        Command[] parts = all.getSubCommands();
        java.lang.reflect.Method begin = Command.class.getDeclaredMethod("executeCommand");
        begin.setAccessible(true);
        begin.invoke(all);
        for (Command part : parts) part.execute();
        printPieces(module, "piece ");
        Field steps = BasicLogger.class.getDeclaredField("logInput");
        steps.setAccessible(true);
        List<?> logged = (List<?>) steps.get(module.getLogger());
        System.out.println("steps " + logged.size());
        for (Object step : logged) ((Command) step).execute();
        printPieces(module, "after ");
        Field pane = Chatter.class.getDeclaredField("conversationPane");
        pane.setAccessible(true);
        JTextComponent chat = (JTextComponent) pane.get(module.getChatter());
        for (String line : chat.getDocument().getText(0, chat.getDocument().getLength()).split("\n")) System.out.println("chat " + line);
    }

    static void printPieces(GameModule module, String what) {
        TreeMap<String, String> where = new TreeMap<>();
        for (GamePiece piece : module.getGameState().getAllPieces()) {
            if (piece instanceof Stack) continue;
            Map map = piece.getMap();
            String place = map == null ? "nowhere" : map.locationName(piece.getPosition());
            where.put(piece.getName(), place + "\t" + piece.boundingBox().width);
            Point at = piece.getPosition();
            if (System.getProperty("dots") != null) {
                System.out.println("at " + piece.getName() + "\t" + (map == null ? "" : map.getIdentifier() + "\t" + at.x + "\t" + at.y));
            }
            for (String key : System.getProperty("properties", "").split(",")) {
                Object value = key.isEmpty() ? null : piece.getProperty(key);
                if (value != null) System.out.println("property " + piece.getName() + "\t" + key + "\t" + value);
            }
        }
        where.forEach((name, place) -> System.out.println(what + name + "\t" + place));
    }

    /** The names of dots on the map, a line `X Y` each. */
    static void nameDots(String file) throws IOException {
        for (String line : Files.readAllLines(Path.of(file))) {
            String[] words = line.split(" ");
            String name = Map.getMapById("Map").locationName(new Point(Integer.parseInt(words[0]), Integer.parseInt(words[1])));
            System.out.println("dot " + name);
        }
    }
}
