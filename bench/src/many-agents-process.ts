// A process of simulated agents for many-agents.ts. The first message names the file with the hosts; after that it reports
// what has happened every 250 ms, and ends when its parent disconnects.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SimulatedAgent } from '@flotilla/agent/testing/simulated-agent';
import type { EnrolledHosts } from '@flotilla/controller/testing/enrol-many';
import { hostFacts } from '@flotilla/controller/testing/fleet';
import type { AgentsReport, AgentsStart } from './many-agents/report.ts';

const REPORT_MS = 250;

const attempts = { begun: 0, busy: 0, failed: 0 };
let connected = 0;
let waitingSince = performance.now();
let longestMs = 0;

function send(): void {
  const report: AgentsReport = { connected, ...attempts, longestMs };
  process.send?.(report);
}

function create({ caPem, keyPem }: EnrolledHosts, host: EnrolledHosts['hosts'][number], grpcPort: number) {
  let isConnected = false;
  return new SimulatedAgent({
    controller: { host: '127.0.0.1', port: grpcPort },
    credentials: { caPem, keyPem, certificatePem: host.certificatePem },
    facts: hostFacts({ name: host.name }),
    onAttempt: () => {
      attempts.begun += 1;
    },
    onConnected: () => {
      isConnected = true;
      connected += 1;
      longestMs = performance.now() - waitingSince;
    },
    onLost: (code) => {
      if (isConnected) {
        connected -= 1;
        waitingSince = performance.now();
      } else if (code === 'controller.busy') attempts.busy += 1;
      else attempts.failed += 1;
      isConnected = false;
    },
  });
}

async function run({ file, grpcPort, perSecond }: AgentsStart): Promise<void> {
  const hosts: EnrolledHosts = JSON.parse(await readFile(file, 'utf8'));
  const startedAt = performance.now();
  for (const [n, host] of hosts.hosts.entries()) {
    const dueMs = (n * 1000) / perSecond - (performance.now() - startedAt);
    if (dueMs > 0) await sleep(dueMs);
    create(hosts, host, grpcPort).start();
  }
}

process.once('message', (start: AgentsStart) => {
  setInterval(send, REPORT_MS);
  run(start).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
process.on('disconnect', () => process.exit(0));
