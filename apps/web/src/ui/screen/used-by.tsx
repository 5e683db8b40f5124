import type { ReactNode } from 'react';
import layout from '../layout.module.css';
import { Loaded, type LoadedProps } from '../loaded.tsx';
import { texts } from '../texts.tsx';

const text = texts.usedBy;

/** Names that a question lists. More of them do not help to decide. */
export const USERS_NAMED = 20;

interface UsedByProps<T> {
  /** One page of the records that use the one in question. */
  readonly query: LoadedProps<{
    readonly body: { readonly items: readonly T[]; readonly next_cursor: string | null };
  }>['query'];
  /** Subject of the error: `The permissions of the group`. */
  readonly what: string;
  /** Says what happens to them. */
  readonly title: string;
  readonly name: (user: T) => ReactNode;
  readonly rowId: (user: T) => string;
}

/** Names the users of a record in the question whether to delete it. Shows nothing if there are none. */
export function UsedBy<T>({ query, what, title, name, rowId }: UsedByProps<T>) {
  return (
    <Loaded query={query} what={what} skeleton={2}>
      {({ body: { items, next_cursor: next } }) =>
        items.length > 0 && (
          <>
            <p className={layout.note}>{title}</p>
            <ul className={layout.names}>
              {items.slice(0, USERS_NAMED).map((user) => (
                <li key={rowId(user)}>{name(user)}</li>
              ))}
              {(next !== null || items.length > USERS_NAMED) && <li>{text.more}</li>}
            </ul>
          </>
        )
      }
    </Loaded>
  );
}
