/** The secret of an event export. */
export const eventExportContext = (id: string) => `event_exports/${id}`;
