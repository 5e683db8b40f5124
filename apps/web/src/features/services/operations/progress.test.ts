import { expect, it } from 'vitest';
import type { CommandItem, CommandResult } from '../types.ts';
import { deriveProgress, isMoving, markErrors, sortProgress, summarize } from './progress.ts';

const result = (client: string, change: Partial<CommandResult> = {}): CommandResult => ({
  client_id: client,
  client_name: client,
  command_id: `command-${client}`,
  outcome: 'running',
  duration_ms: 0,
  ...change,
});
const command = (client: string, change: Partial<CommandItem>): CommandItem => ({
  id: `command-${client}`,
  project: 'p',
  client_id: client,
  client_name: client,
  service_id: 's',
  type: 'DEPLOY',
  sub_type: '',
  operation: '',
  kind: 'desired',
  outcome: 'running',
  step: null,
  created_by: 'admin',
  created_at: '2026-01-02T03:04:05.000Z',
  sent_at: null,
  deadline_at: null,
  finished_at: null,
  duration_ms: 10,
  ...change,
});

it('each command is followed by its ID', () => {
  const progress = deriveProgress(
    [result('a'), result('b')],
    [command('b', { outcome: 'failed', error: { code: 'x', message: 'no room' } }), command('a', { step: 'fetching' })],
  );
  expect(progress).toMatchObject([
    { clientId: 'a', outcome: 'running', step: 'fetching' },
    { clientId: 'b', outcome: 'failed', error: 'no room' },
  ]);
  expect(isMoving(progress)).toBe(true);
});

it('an outcome that was final in the answer is kept', () => {
  const [target] = deriveProgress([result('a', { outcome: 'done' })], [command('a', { outcome: 'running' })]);
  expect(target?.outcome).toBe('done');
});

it('a target without a command is shown', () => {
  const refused = result('a', { command_id: null, outcome: 'failed', error: { code: 'x', message: 'offline' } });
  expect(deriveProgress([refused], [])).toMatchObject([{ outcome: 'failed', error: 'offline' }]);
});

it('targets with problems come first', () => {
  const progress = deriveProgress(
    [result('a', { outcome: 'done' }), result('b', { outcome: 'failed' }), result('c', { outcome: 'done' })],
    [],
  );
  expect(summarize(progress)).toBe('1 failed, 2 done');
  expect(sortProgress(progress).map(({ clientId }) => clientId)).toEqual(['b', 'a', 'c']);
});

it('offline clients do not delay the end', () => {
  expect(isMoving(deriveProgress([result('a', { outcome: 'pending' })], []))).toBe(false);
});

it('a command is not simply done while part of the configuration does not run (screen bug 3)', () => {
  const done = deriveProgress([result('a', { outcome: 'done' }), result('b', { outcome: 'done' })], []);
  const marked = markErrors(done, new Map([['a', 'listeners/web: no address']]));
  expect(summarize(marked)).toBe('1 with errors, 1 done');
  expect(marked[0]?.error).toBe('listeners/web: no address');
  const running = deriveProgress([result('a')], []);
  expect(markErrors(running, new Map([['a', null]]))).toEqual(running);
});
