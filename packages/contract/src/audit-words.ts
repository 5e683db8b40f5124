/** Words of the audit log for the actions and objects of a feature. */
export interface AuditWords {
  /**
   * The first word is a verb in the infinitive. The noun in braces is used if an entry does not name the kind of its object.
   */
  readonly actions?: Readonly<Record<string, string>>;
  /** Names of kinds of objects that differ from their codes. */
  readonly nouns?: Readonly<Record<string, string>>;
  /** Actions of users on their own account. The object of such an entry repeats the user. */
  readonly own?: readonly string[];
}

export function defineAuditWords(words: AuditWords): AuditWords {
  return words;
}
