import type { ReactNode } from 'react';
import type { Loaded as Answer } from '../../api/index.ts';
import { isMissing, Loaded, type LoadedProps } from '../loaded.tsx';
import { Empty } from '../notice.tsx';
import { Page } from '../page.tsx';

export interface RecordPageWords {
  /** Title until the record has given its own. */
  readonly title: string;
  readonly lead?: string;
  /** Subject of the error: `The client`. */
  readonly what: string;
  /** Shown if the record does not exist. */
  readonly missing?: { readonly title: string; readonly pageTitle?: string; readonly showAll: string };
}

/** The list that a record belongs to. */
interface RecordList {
  readonly name: string;
  readonly link: (label: string) => ReactNode;
}

export interface RecordPageProps<T> {
  readonly words: RecordPageWords;
  readonly query: LoadedProps<Answer<T>>['query'];
  readonly list?: RecordList;
  readonly title?: (record: T) => string;
  readonly lead?: (record: T) => ReactNode;
  readonly beside?: ReactNode | ((record: T) => ReactNode);
  readonly actions?: (answer: Answer<T>) => ReactNode;
  readonly whyMissing?: ReactNode;
  /** True: a record that somebody deletes stays on the screen, because it may have unsaved changes. */
  readonly keepsDeleted?: boolean;
  readonly skeleton?: LoadedProps<Answer<T>>['skeleton'];
  /** Shown above the record, also while it is loaded. */
  readonly above?: ReactNode;
  readonly children: (answer: Answer<T>) => ReactNode;
}

/** A screen with one record: its name, state and actions, and the way to its list. */
export function RecordPage<T>(props: RecordPageProps<T>) {
  const { words, query, list, beside, keepsDeleted = false, skeleton, above, children } = props;
  const isGone = words.missing !== undefined && isMissing(query.error) && !(keepsDeleted && query.data);
  const answer = isGone ? undefined : query.data;
  return (
    <Page
      title={(answer && props.title?.(answer.body)) ?? (isGone ? words.missing?.pageTitle : undefined) ?? words.title}
      {...(list && { trail: [list.link(list.name)] })}
      lead={(answer && props.lead?.(answer.body)) ?? words.lead}
      beside={typeof beside === 'function' ? answer && beside(answer.body) : beside}
      actions={answer && props.actions?.(answer)}
    >
      {above}
      {words.missing && isGone ? (
        <Empty title={words.missing.title} action={list?.link(words.missing.showAll)}>
          {props.whyMissing}
        </Empty>
      ) : (
        <Loaded query={query} what={words.what} skeleton={skeleton}>
          {children}
        </Loaded>
      )}
    </Page>
  );
}
