/** Of the controller, as its registry and its backups tell it. */
export const VERSION = '0.1.0';
