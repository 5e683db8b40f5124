import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { create, toJsonString } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { describe, expect, test } from 'vitest';
import { ForwarderStage } from '../testing/forwarder-stage.ts';
import { startTcpSink } from '../testing/syslog-sink.ts';

const PROGRAM = join(import.meta.dirname, '../testing/forwarder-process.ts');

function commandOf(fence: number, port: number): string {
  const output = { target: '127.0.0.1', port, protocol: 'tcp', tls: null };
  const payload = { rsyslog_config: { rsyslog_output: output }, revision: fence };
  return toJsonString(
    fleet.CommandSchema,
    create(fleet.CommandSchema, {
      commandId: `update-${fence}`,
      fence: BigInt(fence),
      type: 'SYSLOG_FWD',
      subType: 'UPDATE_RSYSLOG_CONFIG',
      payloadJson: Buffer.from(JSON.stringify(payload)),
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

describe('kill -9 of the agent during a change of the forwarder', () => {
  test.each(['checking', 'swapping', 'starting', 'saving', 'cleaning'])(
    'at the step %s leaves the host as requested after the restart, and the command says so',
    async (step) => {
      const stage = await ForwarderStage.create();
      const [before, after] = [await startTcpSink(), await startTcpSink()];
      expect(await run(stage, commandOf(1, before.port))).toMatchObject({ outcome: fleet.Outcome.DONE, revision: 1 });
      const change = commandOf(2, after.port);
      expect(await run(stage, change, { killAt: step })).toBeUndefined();
      expect(await run(stage, change)).toMatchObject({
        outcome: fleet.Outcome.DONE,
        revision: 2,
        pid: expect.any(Number),
      });
      stage.log('after the crash\n');
      await expect.poll(after.text).toContain('after the crash');
      expect(before.text()).toBe('');
      expect(stage.units()).toEqual([expect.stringMatching(/^release-\d+$/)]);
    },
  );

  test.each(['checking', 'rolling_back'])(
    'at the step %s of a change that cannot start leaves the host as before, and the command says so',
    async (step) => {
      const stage = await ForwarderStage.create();
      const sink = await startTcpSink();
      await run(stage, commandOf(1, sink.port));
      const program = stage.programThatRefuses('port="9"');
      const change = commandOf(2, 9);
      expect(await run(stage, change, { killAt: step, program })).toBeUndefined();
      const ended = await run(stage, change, { program });
      expect(ended).toMatchObject({
        outcome: fleet.Outcome.FAILED,
        revision: 1,
        errorMessage: expect.stringContaining('the host is as before'),
      });
      stage.log('still delivered\n');
      await expect.poll(sink.text).toContain('still delivered');
      expect(stage.units()).toHaveLength(1);
    },
  );
});
