/**
 * The exit code of a start that ends the same way each time, until somebody changes the settings or what they name:
 * `EX_CONFIG` of sysexits.h, by which a supervisor knows not to try again. It is the `Runtime.errorExitCode` of such
 * errors. Where the next start may find it otherwise, or nobody knows, the code is 1: a service that is tried in vain
 * does less harm than one that does not come back.
 */
export const configuration = 78
