import styles from '../form.module.css';
import type { Finding } from '../model/findings.ts';

interface NotesProps {
  readonly id: string;
  readonly hint?: string | undefined;
  readonly rules?: string | undefined;
  /** Problems found in the browser: sentences that start with "must". */
  readonly breaches: readonly string[];
  /** Problems found by the server, which replace those found in the browser. */
  readonly findings: readonly Finding[];
}

/** Returns the IDs of the notes about a control, for `aria-describedby`. */
export function describedBy({ id, hint, rules, breaches, findings }: NotesProps): string | undefined {
  const hasProblem = breaches.length + findings.length > 0;
  const ids = [hint || rules ? `${id}-hint` : undefined, hasProblem ? `${id}-problem` : undefined];
  return ids.filter((part) => part !== undefined).join(' ') || undefined;
}

export function Notes({ id, hint, rules, breaches, findings }: NotesProps) {
  const problems = findings.length > 0 ? findings.map(({ message }) => message) : breaches;
  return (
    <>
      {problems.length > 0 && (
        <div className={styles.problem} id={`${id}-problem`}>
          {problems.map((problem) => (
            <div key={problem}>{capitalize(problem)}</div>
          ))}
        </div>
      )}
      {(hint || rules) && (
        <div className={styles.hint} id={`${id}-hint`}>
          {[hint, rules && capitalize(rules)].filter(Boolean).join(hint?.endsWith('.') ? ' ' : ' · ')}
        </div>
      )}
    </>
  );
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
