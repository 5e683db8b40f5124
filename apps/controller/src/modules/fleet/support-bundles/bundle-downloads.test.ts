import { buffer } from 'node:stream/consumers';
import type { CommandResultRecord } from '@flotilla/contract';
import { AppError, sleep } from '@flotilla/kit';
import { describe, expect, it, vi } from 'vitest';
import type { Actor } from '../../../platform/http/actor.ts';
import { BundleDownloads, type DownloadLimits } from './bundle-downloads.ts';
import { HostFile } from './testing/host-file.ts';

const MIB = 1024 ** 2;
const actor: Actor = { kind: 'anonymous' };
const noteRefusal = () => undefined;

type Range = { readonly offset: number; readonly length: number };
type Answer = Partial<CommandResultRecord>;

function openHost(
  bytes: number,
  {
    limits = {},
    answer,
  }: { limits?: Partial<DownloadLimits>; answer?: (range: Range, n: number) => Answer | undefined } = {},
) {
  const file = new HostFile(bytes);
  const asked: number[] = [];
  const ask = async (_: Actor, { body }: { readonly body: { readonly command: Record<string, unknown> } }) => {
    const range = body.command as unknown as Range;
    asked.push(range.offset);
    const result = answer?.(range, asked.length) ?? { outcome: 'done', result: file.read(range) };
    return { client_id: 'c', client_name: 'edge', command_id: 'x', duration_ms: 1, ...result } as CommandResultRecord;
  };
  const downloads = new BundleDownloads({ ask }, { retryMs: 1, ...limits });
  const open = (offset = 0, sha256?: string) =>
    downloads.open(actor, {
      project: 'p',
      client: { id: 'c', name: 'edge' },
      bundleId: file.id,
      offset,
      sha256,
      noteRefusal,
    });
  return { file, asked, downloads, open };
}

const failed = (code: string): Answer => ({ outcome: 'failed', error: { code, message: 'the reason' } });
const codeOf = (error: unknown) => (error instanceof AppError ? error.code : String(error));

describe('a download of a support bundle', () => {
  it('is put together from the chunks of the host', async () => {
    const { file, asked, downloads, open } = openHost(2.5 * MIB);
    const { body, bytes, sha256 } = await open();
    expect(await buffer(body)).toEqual(file.content);
    expect([bytes, sha256, asked]).toEqual([file.content.length, file.sha256, [0, MIB, 2 * MIB]]);
    await vi.waitFor(() => expect(downloads.size).toBe(0));
  });

  it('continues where the caller has stopped, and begins again if the file is another one', async () => {
    const { file, open } = openHost(2 * MIB);
    const same = await open(MIB + 7, file.sha256);
    expect([same.offset, await buffer(same.body)]).toEqual([MIB + 7, file.content.subarray(MIB + 7)]);
    const other = await open(MIB + 7, 'f'.repeat(64));
    expect([other.offset, await buffer(other.body)]).toEqual([0, file.content]);
    expect(codeOf(await open(2 * MIB, file.sha256).catch((error: unknown) => error))).toBe('support_bundle.range');
  });

  it('asks for the next chunk only when the caller reads', async () => {
    const { asked, open } = openHost(20 * MIB);
    const { body } = await open();
    await sleep(50);
    expect(asked.length).toBeLessThanOrEqual(2);
    body.destroy();
  });

  it('survives a host that is away for a while', async () => {
    const away = (_: Range, n: number) =>
      n === 2 ? failed('client.offline') : n === 3 ? failed('command.deadline') : undefined;
    const { file, open } = openHost(3 * MIB, { answer: away });
    expect(await buffer((await open()).body)).toEqual(file.content);
  });

  it('breaks off when the host stays away, so that the caller can continue later', async () => {
    const away = (_: Range, n: number) => (n > 1 ? failed('client.offline') : undefined);
    const { downloads, open } = openHost(3 * MIB, { answer: away, limits: { patienceMs: 5 } });
    const error = await buffer((await open()).body).catch((one: unknown) => one);
    expect(codeOf(error)).toBe('client.offline');
    await vi.waitFor(() => expect(downloads.size).toBe(0));
  });

  it('breaks off when the caller loses its rights', async () => {
    const { open, asked } = openHost(3 * MIB, {
      answer: (_, n) => {
        if (n > 1) throw new AppError({ code: 'command.forbidden', httpStatus: 403, message: 'no' });
        return undefined;
      },
    });
    expect(codeOf(await buffer((await open()).body).catch((one: unknown) => one))).toBe('command.forbidden');
    expect(asked).toHaveLength(2);
  });

  const other = new HostFile(3 * MIB);
  it.each([
    ['the bytes of another place', (range: Range, file: HostFile) => file.read(range, { offset: 0 })],
    ['another file', (range: Range) => other.read(range)],
    ['nothing, without an end', (range: Range, file: HostFile) => file.read(range, { data: '' })],
    ['an early end', (range: Range, file: HostFile) => file.read(range, { eof: true })],
    ['no base64', (range: Range, file: HostFile) => file.read(range, { data: '<script>' })],
    ['nothing at all', () => ({})],
  ])('breaks off when the host sends %s', async (_, lie) => {
    const host = openHost(3 * MIB, {
      answer: (range, n) => (n > 1 ? { outcome: 'done', result: lie(range, host.file) } : undefined),
    });
    const error = await buffer((await host.open()).body).catch((one: unknown) => one);
    expect(codeOf(error)).toBe('support_bundle.unavailable');
  });

  it.each([
    ['bundle.unknown', 'support_bundle.unknown', 404],
    ['bundle.not_ready', 'support_bundle.not_ready', 409],
    ['bundle.failed', 'support_bundle.not_ready', 409],
    ['bundle.expired', 'support_bundle.expired', 410],
    ['bundle.offset', 'support_bundle.range', 416],
    ['client.offline', 'client.offline', 503],
    ['client.not_found', 'client.not_found', 404],
    ['client.incapable', 'client.incapable', 409],
    ['agent.failure', 'support_bundle.unavailable', 503],
  ])('is refused if the host answers %s', async (code, expected, status) => {
    const { downloads, open } = openHost(1, { answer: () => failed(code) });
    const error = (await open().catch((one: unknown) => one)) as AppError;
    expect([error.code, error.httpStatus]).toEqual([expected, status]);
    expect(error.message).not.toMatch(/\{\w+\}/);
    expect(downloads.size).toBe(0);
  });

  it('is refused while too many others run, and a closed one makes room', async () => {
    const { open } = openHost(3 * MIB, { limits: { downloads: 2 } });
    const [first, second] = [await open(), await open()];
    expect(codeOf(await open().catch((one: unknown) => one))).toBe('support_bundle.busy');
    first.body.destroy();
    await vi.waitFor(async () => (await open()).body.destroy());
    second.body.destroy();
  });
});
