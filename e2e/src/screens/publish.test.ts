import { execFile, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePorts } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { look, PROJECT, Stage, type StagePage } from './stage.ts';

const BUNDLE = new URL('../../../dist/flotilla.mjs', import.meta.url).pathname;
const CLICKS_MAX = 12;
const LIVE_MS = 60_000;
const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: keys-only }
spec:
  domains:
    - hosts: [closed.example.com]
      policy: { engines: { api_key: { keys: [{ key: key-of-the-test, subject: tester }] } } }
`;

let stage: Stage;
let opened: StagePage;
let page: Page;
let upstream: Server;
let ports: number[];
let clicks = 0;

beforeAll(async () => {
  stage = await Stage.open();
  upstream = createServer((_, response) => response.end('from the shop'));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  ports = await findFreePorts(3);
  opened = await stage.open(`/p/${PROJECT}/services`);
  page = opened.page;
  await page.exposeFunction('countClick', () => {
    clicks += 1;
  });
  await page.evaluate(() => {
    document.addEventListener('pointerdown', () => (window as unknown as { countClick(): void }).countClick(), true);
  });
});
afterAll(async () => {
  await opened?.close();
  await stage?.close();
  upstream?.close();
});

const upstreamUrl = () => `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;

/** Runs a line as a person would paste it into a shell. */
async function runLine(line: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `${line} -s -m 10`]);
  return stdout;
}

/** Runs the shipped command line with its own settings. */
function flotilla(args: readonly string[], input = ''): Promise<{ code: number | null; out: string; error: string }> {
  const child = spawn(process.execPath, [BUNDLE, ...args], {
    env: { ...process.env, FLOTILLA_CONFIG: join(stage.fleet.dataDir, 'publish-cli.json') },
  });
  const texts = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.error += text;
  });
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...texts })));
}

/** Fields with choices have another role than plain ones. */
function field(label: string | RegExp) {
  return page
    .getByRole('textbox', { name: label })
    .or(page.getByRole('combobox', { name: label }))
    .first();
}

async function type(label: string | RegExp, text: string): Promise<void> {
  await field(label).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

describe('publishing an upstream', () => {
  it('takes at most 12 clicks from the list of services to a host that answers', async () => {
    await page.getByRole('link', { name: 'Publish an upstream' }).click();
    await page.getByRole('heading', { level: 1, name: 'Publish an upstream' }).waitFor();
    await look(page, 'publish-form');
    await type(/^Upstreams/, upstreamUrl());
    await type(/^Host names/, 'Shop.example.com');
    await page.keyboard.press('Enter');
    await type(/^Port/, String(ports[0]));
    await field(/^Address/).click();
    await page.getByRole('option', { name: '127.0.0.1' }).click();
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByText(`http://shop.example.com:${ports[0]}/`).waitFor();
    // By the keyboard: the clicks are counted.
    await page
      .getByRole('list', { name: 'Changes' })
      .getByRole('listitem')
      .filter({ hasText: 'clusters/' })
      .getByText('Content')
      .press('Enter');
    await page.getByRole('region', { name: /Nothing.*As it will be stored/ }).waitFor();
    await look(page, 'publish-review');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page
      .getByRole('region', { name: 'Progress of the change' })
      .getByText('Live')
      .first()
      .waitFor({ timeout: LIVE_MS });
    await look(page, 'publish-done');
    expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
    const line = (await page.getByText(/^curl -i/).textContent()) ?? '';
    const answer = await runLine(line);
    expect(answer).toContain('200 OK');
    expect(answer).toContain('from the shop');
  });

  it('refuses a busy port in the review, and names its user', async () => {
    await page.getByRole('button', { name: 'Publish another' }).click();
    await type(/^Upstreams/, upstreamUrl());
    await type(/^Host names/, 'other.example.com');
    await page.keyboard.press('Enter');
    await type(/^Port/, String(ports[0]));
    await page.getByRole('button', { name: 'Review' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'already in use' });
    await alert.waitFor();
    expect(await alert.textContent()).toContain('service shop-example-com');
    await look(page, 'publish-refused');
  });

  it('shows wrong input at once, at its field', async () => {
    await type(/^Path/, 'api');
    await page.getByText('starts with a slash').waitFor();
    await type(/^Upstreams/, 'http://a.example.com:80\nhttp://b.example.com:80/x');
    await page.getByText('Line 2 has no path').waitFor();
  });
});

describe('the review of a record that is changed', () => {
  it('shows its YAML before and after, and the same as a list', async () => {
    const second = await stage.open(`/p/${PROJECT}/publish`);
    page = second.page;
    await type(/^Upstreams/, upstreamUrl());
    await type(/^Host names/, 'shop.example.com');
    await page.keyboard.press('Enter');
    await type(/^Path/, '/second');
    await field(/^Listener/).click();
    await page.getByRole('option', { name: new RegExp(String(ports[0])) }).click();
    await page.getByRole('button', { name: 'Review' }).click();
    const record = page.getByRole('listitem').filter({ hasText: /changed.*virtual_hosts\// });
    await record.locator('summary').click();
    const diff = record.getByRole('region', { name: /Revision 1.*As it will be stored/ });
    await diff
      .getByText(/second/)
      .first()
      .waitFor();
    await look(page, 'publish-review-of-a-change');
    await record.getByText(/^List \(/).click();
    await record.getByText('Added').first().waitFor();
    await second.close();
    page = opened.page;
  });
});

describe('the dark form', () => {
  it('is accessible', async () => {
    const dark = await stage.open(`/p/${PROJECT}/publish`, { scheme: 'dark' });
    await dark.page.getByRole('textbox', { name: /^Upstreams/ }).waitFor();
    await look(dark.page, 'publish-form-dark');
    await dark.close();
  });
});

describe('unpublishing hosts', () => {
  it('shows what is removed, and the proxy stops to answer', async () => {
    await page.goto(`${stage.url}/p/${PROJECT}/services`);
    await page.getByRole('link', { name: 'Unpublish hosts' }).click();
    await type(/^Host names/, 'Shop.example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Review' }).click();
    const records = page.getByRole('list', { name: 'Changes' });
    await records.getByText(`listeners/http-${ports[0]}`).waitFor();
    await records.getByText('service shop-example-com', { exact: true }).waitFor();
    await look(page, 'unpublish-review');
    await page.getByRole('button', { name: 'Unpublish', exact: true }).click();
    await page.getByRole('list', { name: 'Progress on the clients' }).getByText('Done').waitFor({ timeout: LIVE_MS });
    await look(page, 'unpublish-done');
    const line = `curl -s -m 10 http://127.0.0.1:${ports[0]}/ -H 'Host: shop.example.com' || echo refused`;
    await expect.poll(() => runLine(`${line} #`), { timeout: LIVE_MS }).toBe('refused\n');
  });
});

describe('flotilla publish', () => {
  it('publishes at another port, and ends with a line that answers', async () => {
    const { password } = await stage.admin();
    const login = ['login', '--url', stage.url, '--username', 'admin', '--password-stdin'];
    expect((await flotilla(login, password)).code).toBe(0);
    const argv = ['publish', upstreamUrl(), '--host', 'cli.example.com', '--port', String(ports[1])];
    const ended = await flotilla([...argv, '--address', '127.0.0.1']);
    expect(ended, ended.error).toMatchObject({ code: 0 });
    expect(ended.out).toContain(`Live: http://cli.example.com:${ports[1]}/`);
    expect(await runLine(ended.out.trim().split('\n').at(-1) ?? '')).toContain('from the shop');
    const busy = await flotilla([...argv.with(3, 'busy.example.com'), '--address', '127.0.0.1']);
    expect(busy.code).toBe(5);
  });

  it('is undone by flotilla unpublish, and the other hosts of the listener answer on', async () => {
    const listener = `http-${ports[1]}`;
    const second = ['publish', upstreamUrl(), '--host', 'second.example.com', '--listener', listener];
    const published = await flotilla(second);
    expect(published, published.error).toMatchObject({ code: 0 });
    const ask = (host: string) => runLine(`curl -i http://127.0.0.1:${ports[1]}/ -H 'Host: ${host}'`);
    expect(await ask('second.example.com')).toContain('from the shop');
    const removed = await flotilla(['unpublish', 'cli.example.com']);
    expect(removed, removed.error).toMatchObject({ code: 0 });
    expect(removed.out).toContain(`deleted    virtual_hosts/${listener}/cli.example.com`);
    expect(removed.out).not.toContain(`listeners/${listener}`);
    expect(await ask('cli.example.com')).toContain('404 Not Found');
    expect(await ask('second.example.com')).toContain('from the shop');
    const last = await flotilla(['unpublish', 'second.example.com']);
    expect(last, last.error).toMatchObject({ code: 0 });
    expect(last.out).toContain('deleted    services/cli-example-com');
    const closed = `curl http://127.0.0.1:${ports[1]}/ -s -m 10 || echo refused`;
    await expect.poll(() => runLine(`${closed} #`), { timeout: LIVE_MS }).toBe('refused\n');
  });

  it('publishes with a policy, which blocks', async () => {
    const applied = await flotilla(['apply', '-f', '-'], POLICY);
    expect(applied, applied.error).toMatchObject({ code: 0 });
    const argv = ['publish', upstreamUrl(), '--host', 'closed.example.com', '--port', String(ports[2])];
    const ended = await flotilla([...argv, '--address', '127.0.0.1', '--policy', 'keys-only']);
    expect(ended, ended.error).toMatchObject({ code: 0 });
    const line = ended.out.trim().split('\n').at(-1) ?? '';
    await expect.poll(() => runLine(line), { timeout: LIVE_MS }).toContain('403 Forbidden');
    expect(await runLine(`${line} -H 'X-Api-Key: key-of-the-test'`)).toContain('from the shop');
  });
});
