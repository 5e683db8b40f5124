/** The fields of a document. Both programs write the same ones. */
export const SHIPPED_FIELDS = {
  message: 'message',
  host: 'host.name',
  file: 'log.file.path',
  offset: 'log.offset',
  dataset: 'event.dataset',
  service: 'flotilla.service',
} as const;

export type ShippedField = keyof typeof SHIPPED_FIELDS;
