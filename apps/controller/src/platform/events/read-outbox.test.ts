import { createId } from '@flotilla/kit';
import { expect, it } from 'vitest';
import { FEATURES } from '../../features.ts';
import { createOutboxReading } from './read-outbox.ts';

const project = createId();
const readOutbox = createOutboxReading(FEATURES);
const read = (topic: string, payload: unknown) => readOutbox([{ seq: 1, topic, payload }]);

it('documents are named by collection and name, even if the name contains a slash', () => {
  const payload = { project, version: '1.39.3', ids: [], keys: ['virtual_hosts/site/www.example.com'] };
  expect(read('documents.changed', payload).news).toEqual([
    {
      project,
      event: { topic: 'document', collection: 'virtual_hosts', name: 'site/www.example.com', version: '1.39.3' },
    },
  ]);
});

it('a command that was sent counts as running', () => {
  const ids = { command_id: createId(), client_id: createId(), service_id: null };
  const [news] = read('live.changed', { topic: 'command', project, ...ids, status: 'sent' }).news;
  expect(news).toEqual({ project, event: { topic: 'command', ...ids, outcome: 'running' } });
});

it('only fields of an event are passed on', () => {
  const row = { topic: 'client', project, client_id: createId(), change: 'facts', hostname: 'secret.example.com' };
  expect(JSON.stringify(read('live.changed', row))).not.toContain('secret');
});

it('changed accounts trigger a check of listeners, and sessions are not announced', () => {
  const session = read('live.changed', { topic: 'session', project: null, user_id: createId() });
  expect(session).toEqual({ news: [], isAboutListeners: true });
  expect(read('live.changed', { topic: 'audit', project }).isAboutListeners).toBe(false);
});

it('a changed realm triggers a check of listeners, because tokens have no session that ends', () => {
  const change = (key: string) => read('setting.changed', { key, name: '', project: null });
  expect(['ldap', 'oidc', 'syslog'].map((key) => change(key).isAboutListeners)).toEqual([true, true, false]);
});

it('changed settings are named without their content', () => {
  const payload = { key: 'cloud', name: 'os', project, value: { secret: 'x' } };
  expect(read('setting.changed', payload).news).toEqual([
    { project, event: { topic: 'setting', key: 'cloud', name: 'os' } },
  ]);
});

it('unknown topics and malformed messages are skipped', () => {
  for (const topic of ['live.changed', 'commands.created', ...FEATURES.flatMap(({ news = {} }) => Object.keys(news))]) {
    for (const payload of [null, 'text', {}, { topic: 'weather', project }, { topic: 'client', project: 7 }]) {
      expect(read(topic, payload).news, `${topic} ${JSON.stringify(payload)}`).toEqual([]);
    }
  }
});
