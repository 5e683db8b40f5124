declare module 'virtual:bodies' {
  /** The rules of the fields of each request body, by the ID of the route. */
  export const bodies: Readonly<Record<string, import('./field-rules.ts').FieldRules>>;
}
