// The wizard of VASSAL, which no test opens, is a library of its own; without these its classes do not load.

package org.netbeans.spi.wizard;

public class WizardPage extends javax.swing.JPanel {
    public interface WizardResultProducer {
        Object finish(java.util.Map map) throws WizardException;
        boolean cancel(java.util.Map map);
    }
}
