import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';

/** Programs of routing suites that speak BGP: FRR's and OpenBGPD's daemon, and GoBGP's. */
const BGP_PROGRAMS: ReadonlySet<string> = new Set(['bgpd', 'gobgpd']);

/** Looks for a running BGP daemon in the network namespace of the agent. */
export async function findBgp(procDir = '/proc'): Promise<fleet.BgpFact> {
  // Without init in sight, the processes of other users are hidden (hidepid of proc(5)).
  if ((await readText(join(procDir, '1', 'comm'))) === undefined) {
    const source = 'The processes of other users are hidden from the agent.';
    return create(fleet.BgpFactSchema, { known: false, source });
  }
  const own = await readTarget(join(procDir, 'self', 'ns', 'net'));
  const pids = (await readdir(procDir)).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const name = (await readText(join(procDir, pid, 'comm')))?.trimEnd();
    if (name === undefined || !BGP_PROGRAMS.has(name)) continue;
    if (!(await isRunning(join(procDir, pid), name, own))) continue;
    return create(fleet.BgpFactSchema, { known: true, running: true, source: `process ${name} (PID ${pid})` });
  }
  const source = `No process is named ${[...BGP_PROGRAMS].join(' or ')}.`;
  return create(fleet.BgpFactSchema, { known: true, running: false, source });
}

/** A process may choose its name, so its program counts, if the agent may see it. A zombie has none. */
async function isRunning(dir: string, name: string, ownNamespace: Target): Promise<boolean> {
  const program = await readTarget(join(dir, 'exe'));
  if (program === 'none') return false;
  if (program !== 'hidden' && basename(program.path).replace(/ \(deleted\)$/, '') !== name) return false;
  const namespace = await readTarget(join(dir, 'ns', 'net'));
  if (typeof namespace === 'string' || typeof ownNamespace === 'string') return true;
  return namespace.path === ownNamespace.path;
}

type Target = { readonly path: string } | 'hidden' | 'none';

async function readTarget(link: string): Promise<Target> {
  try {
    return { path: await readlink(link) };
  } catch (error) {
    return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '') ? 'hidden' : 'none';
  }
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
