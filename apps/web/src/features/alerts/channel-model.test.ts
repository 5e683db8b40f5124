import type { AlertChannelView } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { toChannelValues, toForm } from './channel-model.ts';

const channel = (target: AlertChannelView['target']): AlertChannelView => ({
  id: 'c',
  project: 'p',
  name: 'pager',
  enabled: false,
  target,
  private: [],
  state: 'working',
  delivered_at: null,
  failing_since: null,
  last_error: null,
  created_at: '',
  updated_at: '',
  updated_by: '',
  revision: 1,
});

it.each<AlertChannelView['target']>([
  { kind: 'email', recipients: ['ops@example.com', 'night@example.com'] },
  { kind: 'webhook', url: 'https://hooks.example.com/x' },
  { kind: 'slack' },
])('a channel that is opened and saved again sends no secret, so that it keeps its own: $kind', (target) => {
  expect(toChannelValues(toForm(channel(target)))).toEqual({ name: 'pager', enabled: false, target });
});

it('a typed secret is sent', () => {
  const webhook = toForm(channel({ kind: 'webhook', url: 'https://hooks.example.com/x' }));
  expect(toChannelValues({ ...webhook, secret: ' kept as typed ' }).target).toMatchObject({
    secret: ' kept as typed ',
  });
  const slack = toForm(channel({ kind: 'slack' }));
  const url = ' https://hooks.example.com/secret ';
  expect(toChannelValues({ ...slack, url }).target).toEqual({ kind: 'slack', url: url.trim() });
});
