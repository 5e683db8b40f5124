import { useEffect, useState } from 'react';
import { useForm } from './form-context.ts';
import type { MessageDescription } from './schema-source.ts';

export type Described =
  | { readonly status: 'known'; readonly message: MessageDescription }
  | { readonly status: 'loading' }
  | { readonly status: 'unknown' }
  | { readonly status: 'failed'; readonly reason: string; readonly retry: () => void };

/** Returns the description synchronously if the message is already loaded. */
export function useDescription(type: string): Described {
  const { source } = useForm();
  const [outcome, setOutcome] = useState<{
    type: string;
    message?: MessageDescription;
    reason?: string;
    done: boolean;
  }>();
  const [attempt, setAttempt] = useState(0);
  const known = source.peek(type);
  const missing = known === undefined;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is the same question again
  useEffect(() => {
    if (!missing) return undefined;
    let current = true;
    const settle = (result: { message?: MessageDescription; reason?: string }) => {
      if (current) setOutcome({ type, done: true, ...result });
    };
    source.load(type).then(
      (message) => settle(message ? { message } : {}),
      (error: unknown) => settle({ reason: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      current = false;
    };
  }, [source, type, missing, attempt]);

  if (known) return { status: 'known', message: known };
  if (outcome?.type !== type || !outcome.done) return { status: 'loading' };
  if (outcome.message) return { status: 'known', message: outcome.message };
  if (outcome.reason === undefined) return { status: 'unknown' };
  const retry = () => {
    setOutcome(undefined);
    setAttempt((count) => count + 1);
  };
  return { status: 'failed', reason: outcome.reason, retry };
}
