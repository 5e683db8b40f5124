import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EnrolledHosts } from '@flotilla/controller/testing/enrol-many';
import { readCpuMs } from './processes.ts';
import type { AgentsReport, AgentsStart } from './report.ts';

/** One second of a run. */
export interface Second {
  readonly connected: number;
  /** Attempts and connections in this second. */
  readonly attempts: number;
  readonly joined: number;
  readonly busy: number;
}

interface Member {
  readonly process: ChildProcess;
  report: AgentsReport;
}

const NONE: AgentsReport = { connected: 0, begun: 0, busy: 0, failed: 0, longestMs: 0 };
const SECOND_MS = 1000;

/** Simulated agents in several processes. */
export class AgentProcesses {
  readonly #members: Member[] = [];

  async start(
    hosts: EnrolledHosts,
    { dir, processes, grpcPort, perSecond }: { dir: string; processes: number } & Omit<AgentsStart, 'file'>,
  ): Promise<void> {
    for (let n = 0; n < processes; n += 1) {
      const file = join(dir, `agents-${n}.json`);
      const own = hosts.hosts.filter((_, index) => index % processes === n);
      await writeFile(file, JSON.stringify({ ...hosts, hosts: own }), { mode: 0o600 });
      const child = fork(join(import.meta.dirname, '../many-agents-process.ts'), {
        execArgv: ['--max-old-space-size=4096'],
      });
      const member: Member = { process: child, report: NONE };
      child.on('message', (report: AgentsReport) => {
        member.report = report;
      });
      child.send({ file, grpcPort, perSecond: perSecond / processes } satisfies AgentsStart);
      this.#members.push(member);
    }
  }

  get report(): AgentsReport {
    const sum = (key: keyof AgentsReport) => this.#members.reduce((total, { report }) => total + report[key], 0);
    const longestMs = Math.max(...this.#members.map(({ report }) => report.longestMs));
    return { connected: sum('connected'), begun: sum('begun'), busy: sum('busy'), failed: sum('failed'), longestMs };
  }

  get cpuMs(): number {
    return this.#members.reduce((total, { process: { pid = 0 } }) => total + readCpuMs(pid), 0);
  }

  /** Records every second until `count` agents are connected, or `limitMs` is over. */
  async watch(count: number, limitMs: number, onSecond: (second: Second) => void = () => undefined): Promise<Second[]> {
    const seconds: Second[] = [];
    const endsAt = performance.now() + limitMs;
    let before = this.report;
    while (performance.now() < endsAt && (before.connected < count || seconds.length === 0)) {
      await sleep(SECOND_MS);
      if (this.#members.some(({ process: { exitCode } }) => exitCode !== null))
        throw new Error('the agents have ended');
      const now = this.report;
      const { connected } = now;
      const second = {
        connected,
        attempts: now.begun - before.begun,
        joined: connected - before.connected,
        busy: now.busy - before.busy,
      };
      seconds.push(second);
      onSecond(second);
      before = now;
    }
    return seconds;
  }

  close(): void {
    for (const { process: child } of this.#members) if (child.connected) child.disconnect();
  }
}
