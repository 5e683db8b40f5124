import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Loaded as Answered } from '../../../api/index.ts';
import { Loaded, Notice } from '../../../ui/index.ts';
import { texts } from './texts.ts';
import type { CommandResult } from './use-routing.ts';

const text = texts.answer;

interface AnswerProps<T> {
  readonly query: UseQueryResult<Answered<{ readonly results: readonly CommandResult[] }>>;
  /** Subject of error messages. */
  readonly what: string;
  /** Reads the result; undefined if it has an unknown form. */
  readonly read: (result: unknown) => T | undefined;
  readonly children: (value: T) => ReactNode;
}

/** Shows what FRR answered, or why it did not. */
export function Answer<T>({ query, what, read, children }: AnswerProps<T>) {
  return (
    <Loaded query={query} what={what} skeleton={8}>
      {({ body: { results } }) => {
        const [result] = results;
        if (result?.outcome !== 'done')
          return (
            <Notice tone="bad" title={text.failed}>
              <div>{result?.error?.message ?? text.outcomeIs(result?.outcome ?? '')}</div>
              <div>
                <Button
                  variant="default"
                  size="compact-xs"
                  loading={query.isFetching}
                  onClick={() => void query.refetch()}
                >
                  {text.tryAgain}
                </Button>
              </div>
            </Notice>
          );
        const value = read(result.result);
        return value === undefined ? <Notice tone="warn" title={text.unknownForm} /> : children(value);
      }}
    </Loaded>
  );
}
