import { readFile, writeFile } from 'node:fs/promises';
import { toErrorMessage } from '@flotilla/kit';

const FILES = ['/proc/sys/net/ipv4/ip_nonlocal_bind', '/proc/sys/net/ipv6/ip_nonlocal_bind'];

/**
 * Lets proxies listen on addresses that the peer has now, in the network namespace of this process. Returns why that is not
 * possible.
 */
export async function allowNonlocalBind(): Promise<string | undefined> {
  const problems = await Promise.all(FILES.map(allow));
  return problems.find((problem) => problem !== undefined);
}

async function allow(file: string): Promise<string | undefined> {
  try {
    if ((await readFile(file, 'utf8')).trim() !== '1') await writeFile(file, '1');
    return undefined;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // A kernel without IPv6 has no such file, and no such addresses.
    if (code === 'ENOENT' && file.includes('ipv6')) return undefined;
    return `Proxies cannot listen on addresses that the peer has: ${file}: ${toErrorMessage(error)}`;
  }
}
