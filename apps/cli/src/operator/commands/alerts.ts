import { type AlertTarget, alertChannelRoutes, alertRoutes, alertRuleRoutes } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, change, get, idAs, list, send, type Verb } from '../nouns/verb.ts';
import { LIMIT, NAME, NEW_NAME, QUERY } from './inputs.ts';
import { readSecret } from './read-secret.ts';
import { parseDurationS, parseFuture } from './time-argument.ts';

const ALERT = { flags: '<alert>', help: 'id', to: 'alert_id' } as const;
const RULE = {
  flags: '<rule>',
  help: 'name or id',
  to: 'rule_id',
  lookup: createLookup(alertRuleRoutes.list, { one: 'alert rule', id: ({ id }) => id, name: ({ name }) => name }),
} as const;
const channels = createLookup(alertChannelRoutes.list, {
  one: 'alert channel',
  id: ({ id }) => id,
  name: ({ name }) => name,
});
const CHANNEL = { flags: '<channel>', help: 'name or id', to: 'channel_id', lookup: channels } as const;
const TO_CHANNEL = { flags: '--channel <name>', help: 'name or id', to: 'channels', lookup: channels } as const;
const SEVERITY = { flags: '--severity <severity>', to: 'severity' } as const;
const ON = { flags: '--on', help: 'switch it on', to: 'enabled', value: true, conflicts: 'off' } as const;
const OFF = { flags: '--off', help: 'switch it off', to: 'enabled', value: false } as const;
const UNTIL = {
  flags: '--until <time>',
  help: 'a duration such as 2h, a time, or "" to end the silence',
  to: 'until',
  read: (text: string) => (text === '' ? '' : parseFuture(text, Date.now())),
  isRequired: true,
} as const;
const FOR = {
  flags: '--for <time>',
  help: 'how long the condition has to hold, such as 5m',
  to: 'for_s',
  read: parseDurationS,
} as const;
const REPEAT = {
  flags: '--repeat <time>',
  help: 'interval of reminders, such as 4h',
  to: 'repeat_s',
  read: parseDurationS,
} as const;
const CONDITION = {
  flags: '--condition <condition>',
  help: 'a kind without settings, such as client_offline, or JSON such as {"kind":"certificate_expiry","days":14}',
  to: 'condition',
  read: readCondition,
  isRequired: true,
} as const;

function readCondition(text: string): unknown {
  if (!text.startsWith('{')) return { kind: text };
  try {
    return JSON.parse(text);
  } catch {
    throw new CliFailure(EXIT.usage, 'The condition is not valid JSON.');
  }
}

const RULES: Noun = {
  help: 'what causes an alert',
  place: 'project',
  verbs: {
    list: list(alertRuleRoutes.list, {
      inputs: [QUERY],
      columns: {
        name: 'name',
        condition: ({ condition }) => condition.kind,
        severity: 'severity',
        on: 'enabled',
        channels: ({ channels }) => channels.length,
        firing: 'firing',
      },
    }),
    get: get(alertRuleRoutes.get, { inputs: [RULE] }),
    create: send(alertRuleRoutes.create, {
      inputs: [NAME, CONDITION, SEVERITY, FOR, REPEAT, TO_CHANNEL],
      text: ({ name }) => `Alert rule ${name} created.`,
    }),
    change: change(alertRuleRoutes.patch, {
      inputs: [RULE, NEW_NAME, SEVERITY, FOR, REPEAT, TO_CHANNEL, ON, OFF],
      text: ({ name }) => `Alert rule ${name} changed.`,
    }),
    silence: send(alertRuleRoutes.silence, {
      inputs: [RULE, UNTIL],
      text: ({ name, silenced_until }) => sayMuted(`Alert rule ${name}`, silenced_until),
    }),
    delete: send(alertRuleRoutes.delete, {
      inputs: [RULE],
      json: idAs('deleted', 'rule'),
      text: (_, { name }) => `Alert rule ${name('rule')} deleted.`,
    }),
  },
};

interface NewChannel {
  readonly name: string;
  readonly email?: readonly string[];
  readonly webhook?: string;
  readonly slack?: true;
}

const CHANNELS: Noun = {
  help: 'where messages about alerts go',
  place: 'project',
  verbs: {
    list: list(alertChannelRoutes.list, {
      inputs: [QUERY],
      columns: {
        name: 'name',
        kind: ({ target }) => target.kind,
        on: 'enabled',
        state: 'state',
        delivered: 'delivered_at',
        error: 'last_error',
      },
    }),
    get: get(alertChannelRoutes.get, { inputs: [CHANNEL] }),
    create: act<NewChannel & Record<string, unknown>>(
      {
        help: 'create a channel; standard input has the secret of a webhook, or the address of a Slack webhook',
        inputs: [
          { flags: '<name>' },
          { flags: '--email <address>', help: 'send mails', isList: true },
          { flags: '--webhook <url>', help: 'send signed JSON', conflicts: 'email' },
          { flags: '--slack', help: 'send to a Slack-compatible webhook', conflicts: 'webhook' },
        ],
      },
      async ({ scope, io }, { name, email, webhook, slack }) => {
        const target = await readTarget({ name, email, webhook, slack }, () => readSecret(io));
        const query = { project: scope.project };
        const { body } = await scope.connection.call(alertChannelRoutes.create, { query, body: { name, target } });
        return { json: body, text: `Alert channel ${body.name} created.` };
      },
    ),
    change: change(alertChannelRoutes.patch, {
      inputs: [CHANNEL, NEW_NAME, ON, OFF],
      text: ({ name }) => `Alert channel ${name} changed.`,
    }),
    test: act({ help: 'send a test message', inputs: [CHANNEL], route: alertChannelRoutes.test }, async (given) => {
      const { scope, id, name } = given;
      const request = { params: { channel_id: id('channel') }, query: { project: scope.project } };
      const { body } = await scope.connection.call(alertChannelRoutes.test, request);
      const text = `${name('channel')}: ${body.message} (${body.latency_ms} ms).`;
      return { json: body, text, exit: body.ok ? EXIT.ok : EXIT.failed };
    }),
    messages: list(alertChannelRoutes.deliveries, {
      inputs: [
        { flags: '--channel <name>', help: 'name or id', to: 'channel_id', lookup: channels },
        { flags: '--status <status>', to: 'status' },
        LIMIT,
      ],
      columns: {
        time: 'created_at',
        channel: ({ channel }) => channel.name,
        status: 'status',
        title: 'title',
        error: 'error',
      },
    }),
    delete: send(alertChannelRoutes.delete, {
      inputs: [CHANNEL],
      json: idAs('deleted', 'channel'),
      text: (_, { name }) => `Alert channel ${name('channel')} deleted.`,
    }),
  },
};

async function readTarget(
  {
    email = [],
    webhook,
    slack,
  }: Partial<Record<keyof NewChannel, unknown>> & Pick<NewChannel, 'email' | 'webhook' | 'slack'>,
  read: () => Promise<string>,
): Promise<AlertTarget> {
  if (email.length > 0) return { kind: 'email', recipients: [...email] };
  if (webhook !== undefined) return { kind: 'webhook', url: webhook, secret: await read() };
  if (slack) return { kind: 'slack', url: await read() };
  throw new CliFailure(EXIT.usage, 'Give --email, --webhook or --slack.');
}

export const ALERTS: Noun = {
  help: 'what is wrong in the project, and where messages about it go',
  place: 'project',
  verbs: {
    list: list(alertRoutes.list, {
      inputs: [QUERY, { flags: '--state <state>', to: 'state' }, SEVERITY, LIMIT],
      columns: {
        id: 'id',
        severity: 'severity',
        state: 'state',
        subject: ({ subject }) => `${subject.kind} ${subject.name}`,
        rule: ({ rule }) => rule.name,
        since: 'since',
        summary: 'summary',
      },
    }),
    get: get(alertRoutes.get, { inputs: [ALERT] }),
    summary: get(alertRoutes.summary),
    acknowledge: acknowledge(true, 'say that you take care of an alert, so that no reminder is sent'),
    unacknowledge: acknowledge(false, 'take an acknowledgement back'),
    silence: send(alertRoutes.silence, {
      inputs: [ALERT, UNTIL],
      text: ({ subject, silenced_until }) => sayMuted(`Alert about ${subject.name}`, silenced_until),
    }),
    rules: RULES,
    channels: CHANNELS,
  },
};

function acknowledge(acknowledged: boolean, help: string): Verb {
  return act({ help, inputs: [ALERT], route: alertRoutes.acknowledge }, async ({ scope, id }) => {
    const request = { params: { alert_id: id('alert') }, query: { project: scope.project }, body: { acknowledged } };
    const { body } = await scope.connection.call(alertRoutes.acknowledge, request);
    const state = acknowledged ? 'is acknowledged' : 'is not acknowledged any more';
    return { json: body, text: `The alert about ${body.subject.name} ${state}.` };
  });
}

function sayMuted(what: string, until: string | null): string {
  return until === null ? `${what} is not silenced.` : `${what} is silenced until ${until}.`;
}
