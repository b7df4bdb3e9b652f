// The wizard of VASSAL, which no test opens, is a library of its own; without these its classes do not load.

package org.netbeans.spi.wizard;

public abstract class WizardBranchController {}
