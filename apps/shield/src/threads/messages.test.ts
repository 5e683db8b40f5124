import { describe, expect, it } from 'vitest';
import { toExchangeFailure } from './messages.ts';

describe('the report of a failed exchange', () => {
  it('has no error if none was thrown', () => {
    const reason = 'a stream id that does not grow';
    expect(toExchangeFailure({ scope: 'connection', code: 1, reason })).toEqual({
      scope: 'connection',
      reason,
      error: undefined,
    });
  });

  it('has the error that was thrown', () => {
    const cause = new Error('broken');
    const { error } = toExchangeFailure({ scope: 'handler', code: 13, reason: 'a handler threw', cause });
    expect(error).toEqual({ message: 'broken', stack: cause.stack });
  });
});
