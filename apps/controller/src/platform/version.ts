/** Reported by the controller's registry and written into backups. */
export const VERSION = '0.1.0';
