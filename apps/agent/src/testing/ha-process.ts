import { fromJsonString } from '@bufbuild/protobuf';
import { createSilentLogger, sleep } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { HaMember } from '../ha/ha-member.ts';
import { PairFile } from '../ha/pair-file.ts';
import { haPlaces } from '../ha/places.ts';
import { Supervisor } from '../host/units/supervisor.ts';
import { HA_DAEMON } from './ha-daemon-command.ts';

/**
 * Runs the part of an agent that keeps a pair, in a separate process. Arguments: FOLDER STATE STEP. It takes up what an earlier process has
 * left, and ends when the host is as the desired state (JSON) says. It kills itself (SIGKILL) at the given step, if there is one.
 */
const [dataDir = '', text = '', killAt = ''] = process.argv.slice(2);
const state = fromJsonString(fleet.DesiredStateSchema, text);
const logger = createSilentLogger();
const runner = new Supervisor({ dataDir, logger });
const member = new HaMember({
  dataDir,
  runner,
  logger,
  flotillaCommand: HA_DAEMON,
  version: '0.1.0',
  reports: () => [],
  onStep: (step) => {
    if (step === killAt) process.kill(process.pid, 'SIGKILL');
  },
});
runner.onEvent((event) => member.noticeEvent(event));
member.want(state);
const file = new PairFile(haPlaces(dataDir).configFile, logger);
for (;;) {
  const config = await file.read();
  const { daemon, config_rev_applied: rev } = await member.read();
  const isPaired = daemon === 'running' && rev === Number(state.ha?.configRev);
  if (state.ha ? isPaired : config === undefined && daemon === 'absent') break;
  await sleep(50);
}
await member.close('leave');
await runner.close();
process.exit(0);
