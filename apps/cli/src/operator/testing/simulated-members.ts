import { SimulatedPair } from '@flotilla/agent/testing/simulated-pair';
import type { Appliance } from '@flotilla/controller/testing/ha-fleet';
import { fleet } from '@flotilla/proto';

/** Lets the clients report and answer as the members of a pair. They have their pair when this resolves. */
export async function simulateMembers(members: readonly [Appliance, Appliance]): Promise<SimulatedPair> {
  const simulation = new SimulatedPair();
  for (const index of [0, 1] as const) {
    const { agent } = members[index];
    // One after the other, as in a stream.
    let sent = Promise.resolve();
    simulation.attach(index, (report) => {
      const reportJson = Buffer.from(JSON.stringify(report));
      sent = sent.then(() => agent.session.haReport({ $typeName: 'flotilla.fleet.v1.HaReport', reportJson }));
    });
    agent.react = (command) => {
      const ended = simulation.answer(index, command) ?? { outcome: 'done' };
      if (ended.outcome === 'done')
        return { outcome: fleet.Outcome.DONE, resultJson: Buffer.from(JSON.stringify(ended.result ?? null)) };
      return { outcome: fleet.Outcome.REFUSED, errorCode: ended.code, errorMessage: ended.message };
    };
  }
  await readDesired(simulation, members);
  return simulation;
}

/** The members take what the controller wants now. */
export async function readDesired(simulation: SimulatedPair, members: readonly [Appliance, Appliance]): Promise<void> {
  for (const index of [0, 1] as const) {
    const { agent } = members[index];
    simulation.setDesired(index, await agent.session.desiredState());
  }
}
