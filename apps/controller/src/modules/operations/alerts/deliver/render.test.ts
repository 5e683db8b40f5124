import { describe, expect, it } from 'vitest';
import type { MessageAlert } from '../notify/message.ts';
import { type Message, renderHtml, renderJson, renderSlack, renderText } from './render.ts';

function alert(
  name: string,
  summary = 'The agent is not connected.',
  labels: MessageAlert['labels'] = {},
): MessageAlert {
  return {
    alert_id: 'a',
    fingerprint: 'f',
    rule: 'client-offline',
    severity: 'critical',
    subject: { kind: 'client', id: null, name },
    labels,
    summary,
    since: '2026-01-15T12:00:00.000Z',
  };
}

function message(count: number, ...first: MessageAlert[]): Message {
  return {
    id: 'd',
    project: { id: 'p', name: 'shop' },
    at: new Date('2026-01-15T12:00:10.000Z'),
    payload: { kind: 'alerts', firing: { count, first }, resolved: { count: 0, first: [] } },
    link: 'https://flotilla.example.com/p/p/alerts',
  };
}

const HOSTILE = `<script>alert(1)</script> <!channel> @here *b* \`code\` [x](https://evil.example.com)\r\nBcc: all@example.com\n- critical\u2028x\u202e`;
const LONG = 'a'.repeat(2048);

describe('a message', () => {
  it('counts all alerts and names the first', () => {
    const text = renderText(message(10_000, alert('edge-1'), alert('edge-2'), alert('edge-3')));
    expect(text.split('\n')[0]).toBe('10000 alerts firing in shop: edge-1, edge-2, edge-3 and 9997 more');
    expect(text).toContain('- and 9997 more');
  });

  it('shows the first labels of the subject in texts, and all of them in JSON', () => {
    const labels = Object.fromEntries(['site', 'rack', 'tier', 'team', 'zone', 'row'].map((key) => [key, `${key}-1`]));
    const sent = message(1, alert('edge-1', 'The agent is not connected.', labels));
    const shown = 'edge-1 (site=site-1, rack=rack-1, tier=tier-1, team=team-1, zone=zone-1, …). The agent';
    expect(renderText(sent)).toContain(shown);
    expect(renderHtml(sent)).toContain(shown);
    expect(renderSlack(sent).text).toContain(shown.replace('edge-1', '`edge-1`'));
    expect(renderJson(sent)).toMatchObject({ firing: { first: [{ labels }] } });
    expect(renderText(message(1, alert('edge-1')))).toContain('client edge-1. The agent');
  });

  it('keeps a hostile name on its line', () => {
    const lines = renderText(message(1, alert(HOSTILE, HOSTILE, { [HOSTILE]: HOSTILE }))).split('\n');
    expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(1);
    expect(lines.some((line) => line.startsWith('Bcc'))).toBe(false);
    expect(lines.join('')).not.toMatch(/[\u2028\u202e\r]/);
  });

  it('contains no markup of a name in HTML', () => {
    const html = renderHtml(message(1, alert(HOSTILE, HOSTILE, { [HOSTILE]: HOSTILE })));
    expect(html).not.toMatch(/<(script|!)/);
    expect(html.match(/<li>/g)).toHaveLength(1);
  });

  it('contains no markup, link or mention of a name for Slack and what accepts the same', () => {
    const { text } = renderSlack(message(1, alert(HOSTILE, HOSTILE, { [HOSTILE]: HOSTILE })));
    expect(text).not.toMatch(/<(?!https:\/\/flotilla\.example\.com)/);
    expect(text).not.toMatch(/@(here|channel|all)/);
    expect(text).not.toContain('](https');
    expect(text.split('\n').filter((line) => line.startsWith('•'))).toHaveLength(1);
    // One code span, which the name cannot leave.
    expect(text.match(/`/g)).toHaveLength(2);
  });

  it('stays short for names of 2 KB', () => {
    const long = message(10_000, ...Array.from({ length: 10 }, () => alert(LONG, LONG)));
    expect(renderText(long).length).toBeLessThan(8000);
    expect(renderSlack(long).text.length).toBeLessThan(8000);
    expect(renderText(long).split('\n')[0]?.length).toBeLessThanOrEqual(180);
  });

  it('is JSON with a version, the id of the delivery and the fingerprints', () => {
    expect(renderJson(message(1, alert('edge-1')))).toMatchObject({
      version: 1,
      id: 'd',
      project: { id: 'p', name: 'shop' },
      title: '1 alert firing in shop: edge-1',
      firing: { count: 1, first: [{ fingerprint: 'f', subject: { kind: 'client', name: 'edge-1' } }] },
      resolved: { count: 0, first: [] },
    });
  });
});
