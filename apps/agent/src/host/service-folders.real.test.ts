import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deriveServiceLayout, type ServiceLayout } from '@flotilla/proto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEnvoySocket } from '../relay/envoy-socket.ts';
import { callAdmin } from './envoy/admin-client.ts';
import { prepareFolders, removeFolders } from './folders.ts';
import { removeTree } from './open-folder.ts';
import { serviceSocket } from './service-socket.ts';

const ROUNDS = 8;
const identity = { uid: 1_900_000_017, gid: 1_900_000_017 };
const other = { uid: 1_900_000_018, gid: 1_900_000_018 };
const isRoot = process.getuid?.() === 0;

let base: string;
let canary: string;
let layout: ServiceLayout;
const racers: ChildProcess[] = [];
const servers: Server[] = [];
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'fs-'));
  chmodSync(base, 0o755);
  canary = join(base, 'canary');
  writeFileSync(canary, 'root', { mode: 0o600 });
  layout = deriveServiceLayout({ runtimeDir: join(base, 'run'), dataDir: join(base, 'data') }, 'svc');
  mkdirSync(dirname(dirname(layout.dataDir)));
});
afterEach(async () => {
  for (const racer of racers.splice(0)) racer.kill('SIGKILL');
  for (const server of servers.splice(0)) server.close();
  rmSync(base, { recursive: true, force: true });
});

const canaryFacts = () => {
  const { uid, gid, mode } = statSync(canary);
  return { uid, gid, mode: mode & 0o777, content: readFileSync(canary, 'utf8') };
};
const untouched = { uid: 0, gid: 0, mode: 0o600, content: 'root' };

/** A program of the service that runs `script` until it is killed. Resolves when it has begun. */
async function race(script: string): Promise<void> {
  const racer = spawn(
    process.execPath,
    ['-e', `const fs=require('fs');process.stdout.write('go');for(;;){try{${script}}catch{}}`],
    {
      ...identity,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  racers.push(racer);
  await new Promise((resolve) => racer.stdout?.once('data', resolve));
}

function asService(...command: string[]): void {
  const user = [`--reuid=${identity.uid}`, `--regid=${identity.gid}`, '--clear-groups'];
  execFileSync('setpriv', [...user, ...command], { stdio: 'pipe' });
}

async function answerOn(path: string, owner: typeof identity): Promise<void> {
  const server = createServer((_, answer) => answer.end('secret of another'));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  chownSync(path, owner.uid, owner.gid);
}

describe.runIf(isRoot)('an agent that is root, beside a service that has been taken over', () => {
  it('a symlink in place of the xDS socket changes no other file (attack 3)', async () => {
    await prepareFolders(layout, identity);
    const [link, socket] = [join(layout.runtimeDir, 'link'), layout.xdsSocket].map((path) => JSON.stringify(path));
    await race(
      `fs.lstatSync(${socket}).isSocket()&&(fs.symlinkSync(${JSON.stringify(canary)},${link}),fs.renameSync(${link},${socket}))`,
    );
    for (let round = 0; round < ROUNDS; round += 1) {
      const opened = await openEnvoySocket({
        path: layout.xdsSocket,
        identity,
        openStream: () => ({ accept: false, code: 16, message: 'nobody' }),
      });
      expect(lstatSync(layout.xdsSocket)).toMatchObject({ uid: 0, gid: identity.gid });
      await opened.close();
    }
    expect(canaryFacts()).toEqual(untouched);
  });

  it('the service changes nothing in a folder in which the agent works by path (attack 3)', async () => {
    await prepareFolders(layout, identity);
    for (const folder of [layout.runtimeDir, layout.dataDir, dirname(layout.runtimeDir), dirname(layout.dataDir)]) {
      expect(() => asService('touch', join(folder, 'x')), folder).toThrow('Permission denied');
    }
    for (const folder of [layout.socketDir, layout.filesDir]) {
      expect(() => asService('mv', folder, `${folder}.away`), folder).toThrow('Permission denied');
      expect(() => asService('touch', join(folder, 'x'))).not.toThrow();
    }
    expect(() => asService('ls', layout.logDir)).toThrow('Permission denied');
  });

  it('links in the runtime folder of an earlier version of the agent lead it nowhere (attack 3)', async () => {
    const victim = join(base, 'victim');
    mkdirSync(victim, { mode: 0o700 });
    mkdirSync(layout.runtimeDir, { recursive: true });
    for (const name of ['own', 'xds.sock', 'envoy-admin.sock', 'envoy-admin.sock.tmp']) {
      symlinkSync(name === 'own' ? victim : canary, join(layout.runtimeDir, name));
    }
    chownSync(layout.runtimeDir, identity.uid, identity.gid);
    await prepareFolders(layout, identity);
    expect(lstatSync(layout.socketDir)).toMatchObject(identity);
    expect(lstatSync(layout.socketDir).isDirectory()).toBe(true);
    const opened = await openEnvoySocket({
      path: layout.xdsSocket,
      identity,
      openStream: () => ({ accept: false, code: 16, message: 'nobody' }),
    });
    await opened.close();
    const { uid, mode } = statSync(victim);
    expect([uid, mode & 0o777, canaryFacts()]).toEqual([0, 0o700, untouched]);
  });

  it('a link in place of an admin socket does not make the agent speak to another one (attack 3)', async () => {
    await prepareFolders(layout, identity);
    const path = join(layout.socketDir, 'admin-1.sock');
    const socket = serviceSocket(path, identity);
    const foreign = join(base, 'foreign.sock');
    await answerOn(foreign, other);
    symlinkSync(foreign, path);
    await expect(callAdmin(socket, '/')).rejects.toThrow("is not a socket of the service's user");
    rmSync(path);
    renameSync(foreign, path);
    await expect(callAdmin(socket, '/')).rejects.toThrow("is not a socket of the service's user");
    chownSync(path, identity.uid, identity.gid);
    expect(await callAdmin(socket, '/')).toMatchObject({ body: 'secret of another' });
  });

  it('removing a service follows no link, however fast folders and links change places (attack 3)', async () => {
    const victim = join(base, 'victim');
    for (let round = 0; round < ROUNDS; round += 1) {
      mkdirSync(victim, { recursive: true });
      writeFileSync(join(victim, 'kept'), 'kept');
      await prepareFolders(layout, identity);
      const folder = JSON.stringify(join(layout.filesDir, 'swap'));
      const away = JSON.stringify(join(layout.filesDir, 'away'));
      await race(
        `fs.mkdirSync(${folder});fs.writeFileSync(${folder}+'/kept','');fs.renameSync(${folder},${away}+Math.random());` +
          `fs.symlinkSync(${JSON.stringify(victim)},${folder});fs.unlinkSync(${folder})`,
      );
      // The folder may not become empty while others fill it: only the rest must be deleted
      const removing = removeFolders(layout).catch(() => undefined);
      await Promise.race([removing, new Promise((resolve) => setTimeout(resolve, 50))]);
      for (const racer of racers.splice(0)) racer.kill('SIGKILL');
      await removing;
      expect(readFileSync(join(victim, 'kept'), 'utf8')).toBe('kept');
    }
  });
});

it('a folder goes with all that is in it, links themselves and depths that no path can name included (attack 3)', async () => {
  const folder = join(base, 'folder');
  mkdirSync(join(folder, 'a', 'b'), { recursive: true });
  symlinkSync(canary, join(folder, 'a', 'link'));
  symlinkSync(base, join(folder, 'a', 'b', 'up'));
  const dig = `process.chdir(process.argv[1]);for(let i=0;i<2100;i++){fs.mkdirSync('d');process.chdir('d')}`;
  execFileSync(process.execPath, ['-e', dig, folder]);
  await removeTree(folder);
  expect(existsSync(folder)).toBe(false);
  expect(readFileSync(canary, 'utf8')).toBe('root');
  await removeTree(folder);
  symlinkSync(dirname(canary), folder);
  await removeTree(folder);
  expect(readdirSync(base)).toContain('canary');
});
