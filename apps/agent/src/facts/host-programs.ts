import { access, readFile } from 'node:fs/promises';

const FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];
/** Bit of CAP_NET_ADMIN in the masks of /proc/self/status. */
const NET_ADMIN = 12n;

/** The programs that are missing, each with its Debian package, as `arping (package iputils-arping)`. */
export async function listMissingPrograms(
  packages: Readonly<Record<string, string>>,
  folders: readonly string[] = FOLDERS,
): Promise<string[]> {
  const missing: string[] = [];
  for (const [program, debianPackage] of Object.entries(packages)) {
    const isThere = await Promise.any(folders.map((folder) => access(`${folder}/${program}`))).then(
      () => true,
      () => false,
    );
    if (!isThere) missing.push(`${program} (package ${debianPackage})`);
  }
  return missing;
}

export async function mayChangeNetwork(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8');
  const mask = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  return ((BigInt(`0x${mask}`) >> NET_ADMIN) & 1n) === 1n;
}
