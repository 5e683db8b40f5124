import { createId } from '@flotilla/kit';
import { expect, it } from 'vitest';
import { readOutbox } from './read-outbox.ts';

const project = createId();
const read = (topic: string, payload: unknown) => readOutbox([{ seq: 1, topic, payload }]);

it('names documents by collection and name, also where the name has a slash of its own', () => {
  const payload = { project, version: '1.39.3', ids: [], keys: ['virtual_hosts/site/www.example.com'] };
  expect(read('documents.changed', payload).news).toEqual([
    {
      project,
      event: { topic: 'document', collection: 'virtual_hosts', name: 'site/www.example.com', version: '1.39.3' },
    },
  ]);
});

it('tells a command that was given to a stream as running', () => {
  const ids = { command_id: createId(), client_id: createId(), service_id: null };
  const [news] = read('live.changed', { topic: 'command', project, ...ids, status: 'sent' }).news;
  expect(news).toEqual({ project, event: { topic: 'command', ...ids, outcome: 'running' } });
});

it('passes on nothing but what an event may say', () => {
  const row = { topic: 'client', project, client_id: createId(), change: 'facts', hostname: 'secret.example.com' };
  expect(JSON.stringify(read('live.changed', row))).not.toContain('secret');
});

it('has listeners looked at where accounts change, and tells nobody of sessions', () => {
  const session = read('live.changed', { topic: 'session', project: null, user_id: createId() });
  expect(session).toEqual({ news: [], isAboutListeners: true });
  expect(read('live.changed', { topic: 'audit', project }).isAboutListeners).toBe(false);
});

it('has listeners looked at where a realm that they may come from has changed, which ends no session of who has a token alone', () => {
  const change = (key: string) => read('setting.changed', { key, name: '', project: null });
  expect(['ldap', 'oidc', 'syslog'].map((key) => change(key).isAboutListeners)).toEqual([true, true, false]);
});

it('tells which settings have changed, and nothing of what they hold', () => {
  const payload = { key: 'cloud', name: 'os', project, value: { secret: 'x' } };
  expect(read('setting.changed', payload).news).toEqual([
    { project, event: { topic: 'setting', key: 'cloud', name: 'os' } },
  ]);
});

it('passes over what it does not know', () => {
  for (const topic of [
    'live.changed',
    'documents.changed',
    'services.changed',
    'clients.removed',
    'setting.changed',
    'commands.created',
  ]) {
    for (const payload of [null, 'text', {}, { topic: 'weather', project }, { topic: 'client', project: 7 }]) {
      expect(read(topic, payload).news, `${topic} ${JSON.stringify(payload)}`).toEqual([]);
    }
  }
});
