import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { create, toJsonString } from '@bufbuild/protobuf';
import { selectForTier } from '@flotilla/kit/testing';
import { fleet } from '@flotilla/proto';
import { describe, expect, test } from 'vitest';
import { ForwarderStage } from '../testing/forwarder-stage.ts';
import { SearchSink } from '../testing/search-sink.ts';
import { startTcpSink } from '../testing/syslog-sink.ts';

const WAIT = { interval: 50 };
const PROGRAM = join(import.meta.dirname, '../testing/forwarder-process.ts');

interface Sink {
  /** Receives nothing if it is `bad`: the program does not start with it. */
  readonly config: (isBad?: boolean) => Record<string, unknown>;
  readonly text: () => string;
}

interface Kind {
  readonly type: string;
  readonly subType: string;
  readonly startSink: () => Promise<Sink>;
  /** In the configuration of rsyslog if it is `bad`. */
  readonly mark: string;
}

const KINDS: readonly Kind[] = [
  {
    type: 'SYSLOG_FWD',
    subType: 'UPDATE_RSYSLOG_CONFIG',
    mark: 'port="9"',
    async startSink() {
      const sink = await startTcpSink();
      const output = (port: number) => ({ target: '127.0.0.1', port, protocol: 'tcp', tls: null });
      const config = (isBad = false) => ({ rsyslog_config: { rsyslog_output: output(isBad ? 9 : sink.port) } });
      return { config, text: sink.text };
    },
  },
  {
    type: 'LOGSHIPPER',
    subType: 'UPDATE_FILEBEAT_CONFIG',
    mark: 'tag="bad"',
    async startSink() {
      const sink = await SearchSink.start();
      const config = (isBad = false) => ({
        filebeat: {
          inputs: [{ type: 'filestream', id: isBad ? 'bad' : 'good', paths: ['/var/log/flotilla-none/*.log'] }],
          filebeat_output: { elasticsearch: { hosts: [sink.url] } },
        },
      });
      return { config, text: () => sink.messages().join('\n') };
    },
  },
];

function commandOf({ type, subType }: Kind, fence: number, config: Record<string, unknown>): string {
  return toJsonString(
    fleet.CommandSchema,
    create(fleet.CommandSchema, {
      commandId: `update-${fence}`,
      fence: BigInt(fence),
      type,
      subType,
      payloadJson: Buffer.from(JSON.stringify({ ...config, revision: fence })),
    }),
  );
}

/** Runs the agent's part. Undefined: it was killed. */
async function run(stage: ForwarderStage, command: string, { killAt = '', program = '' } = {}) {
  const args = [PROGRAM, stage.dataDir, command, killAt, program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const printed = await text(child.stdout);
  const [, signal] = (await gone) as [number | null, string | null];
  expect(signal).toBe(killAt === '' ? null : 'SIGKILL');
  return printed === '' ? undefined : JSON.parse(printed);
}

describe.each(KINDS)('kill -9 of the agent during a change of $type', (kind) => {
  test.each(selectForTier(['swapping', 'checking', 'starting', 'saving', 'cleaning'], 3))(
    'at the step %s leaves the host as requested after the restart, and the command says so',
    async (step) => {
      const stage = await ForwarderStage.create();
      const [before, after] = [await kind.startSink(), await kind.startSink()];
      const done = { outcome: fleet.Outcome.DONE, pid: expect.any(Number) };
      expect(await run(stage, commandOf(kind, 1, before.config()))).toMatchObject({ ...done, revision: 1 });
      const change = commandOf(kind, 2, after.config());
      expect(await run(stage, change, { killAt: step })).toBeUndefined();
      expect(await run(stage, change)).toMatchObject({ ...done, revision: 2 });
      stage.log('after the crash\n');
      await expect.poll(after.text, WAIT).toContain('after the crash');
      expect(before.text()).toBe('');
      expect(stage.units(kind.type === 'LOGSHIPPER' ? 'logshipper' : 'syslog')).toEqual([
        expect.stringMatching(/^release-\d+$/),
      ]);
    },
  );

  test.each(selectForTier(['rolling_back', 'checking'], 2))(
    'at the step %s of a change that cannot start leaves the host as before, and the command says so',
    async (step) => {
      const stage = await ForwarderStage.create();
      const sink = await kind.startSink();
      await run(stage, commandOf(kind, 1, sink.config()));
      const program = stage.programThatRefuses(kind.mark);
      const change = commandOf(kind, 2, sink.config(true));
      expect(await run(stage, change, { killAt: step, program })).toBeUndefined();
      expect(await run(stage, change, { program })).toMatchObject({
        outcome: fleet.Outcome.FAILED,
        revision: 1,
        errorMessage: expect.stringContaining('the host is as before'),
      });
      stage.log('still delivered\n');
      await expect.poll(sink.text, WAIT).toContain('still delivered');
    },
  );
});
