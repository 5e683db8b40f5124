/** Message -> its most used fields, in the order in which people think of them, each with one sentence of help. */
export type FieldGuide = Readonly<Record<string, Readonly<Record<string, string>>>>;
