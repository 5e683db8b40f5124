import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Loaded as Answered } from '../../../api/index.ts';
import { Loaded, Notice } from '../../../ui/index.ts';
import type { CommandResult } from '../types.ts';
import { texts } from './texts.tsx';
import { bodyOf } from './use-proxy.ts';

const text = texts.answer;

interface AnswerProps<T> {
  readonly query: UseQueryResult<Answered<{ readonly results: readonly CommandResult[] }>>;
  /** Subject of error messages. */
  readonly what: string;
  readonly skeleton?: number;
  /** Reads the body; undefined if it has an unknown form. */
  readonly read: (body: unknown) => T | undefined;
  readonly children: (value: T) => ReactNode;
}

/** Shows what Envoy answered, or why it did not. */
export function Answer<T>({ query, what, skeleton = 8, read, children }: AnswerProps<T>) {
  return (
    <Loaded query={query} what={what} skeleton={skeleton}>
      {({ body: { results } }) => {
        const [result] = results;
        if (result?.outcome !== 'done')
          return (
            <Failure
              reason={result?.error?.message ?? text.outcomeIs(result?.outcome ?? '')}
              isBusy={query.isFetching}
              onRetry={() => void query.refetch()}
            />
          );
        const value = read(bodyOf(result));
        return value === undefined ? <Notice tone="warn" title={text.unknownForm} /> : children(value);
      }}
    </Loaded>
  );
}

function Failure({ reason, isBusy, onRetry }: { reason: string; isBusy: boolean; onRetry: () => void }) {
  return (
    <Notice tone="bad" title={text.failed}>
      <div>{reason}</div>
      <div>
        <Button variant="default" size="compact-xs" loading={isBusy} onClick={onRetry}>
          {text.tryAgain}
        </Button>
      </div>
    </Notice>
  );
}
