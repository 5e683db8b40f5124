import type { ReactNode } from 'react';

export const pages = {
  newPolicyPage: {
    page: {
      title: 'New policy',
      titleOfCopy: (from: string | number) => `Copy of ${from}`,
      lead: 'Which requests the filter lets through: stored here, it travels to every proxy of the services that name it.',
      notAllowed: 'Policies are written by admins and owners',
      whomToAsk: 'Ask one of them to create it.',
      what: 'The policy to copy',
    },
    form: {
      question: (name: string) => `Create policy ${name}?`,
      done: (name: string | number) => `Policy ${name} is stored.`,
      restored: 'What you typed before is still here, not stored yet.',
      rawKeysNotKept: 'Raw keys are never kept in the browser: type them again where the text says key: "".',
      secretFilesNotCopied: 'Secret files are not copied: nobody can read them back. Add them anew.',
      name: 'Name',
      nameMissing: 'It needs a name first',
      nameHint: 'Letters, digits, dots and dashes; services name it by this',
      host: 'Host',
      hostHint: 'That the starter covers; *.example.com covers what is below, * everything',
      failed: 'Nothing was stored',
      review: 'Review and create',
      backToStarter: 'Back to the starter',
      action: 'Create',
      reachesNothing: 'It reaches no proxy until a service names it.',
    },
  },
  policiesPage: {
    create: 'Create policy',
    title: 'Policies',
    lead: 'Which requests the filter beside each proxy lets through, blocks or counts.',
    traffic: 'Requests that policies decided in the last hour',
    what: 'The counts',
    noTraffic: 'None was reported. Counts arrive some ten seconds after the requests.',
    chart: 'Requests that policies decided',
    list: 'policies',
    searches: 'Name, description, text',
    emptyTitle: 'No policy yet',
    empty:
      'A policy says who needs an API key, how many requests an address may make, and where that is only counted. Services name it; their proxies then hold to it.',
  },
  policyActions: {
    menu: {
      copy: 'Copy',
      delete: 'Delete',
    },
    delete: {
      question: (name: string) => `Delete policy ${name}?`,
      done: (name: string | number) => `Policy ${name} is deleted.`,
      action: 'Delete',
      stillUsed: 'Services use it: the controller refuses to delete it until they no longer name it',
      confirm: 'No service uses it, so nothing changes on any proxy. Its history goes, too.',
    },
  },
  policyColumns: {
    columns: {
      name: 'Name',
      hosts: 'Hosts',
      usedBy: 'Used by',
      blocked: 'Blocked, 1 h',
      revision: 'Revision',
      digest: 'Digest',
      changed: 'Changed',
      changedBy: 'By',
      description: 'Description',
      created: 'Created',
    },
    usedBy: {
      whyNone: 'No service names it: no proxy runs it',
      none: 'no service',
    },
  },
  decidingText: {
    title: 'What decided the request',
    earlierTitle: (revision: number) => `Revision ${revision} decided this request`,
    earlier: (newest: number) => `The policy is at revision ${newest} by now. This is the rule as it was:`,
    unknownTitle: 'The policy has changed since this request',
    unknown: 'Which revision decided cannot be told any more. What follows is the text of now.',
    compare: 'Compare with now',
    showNow: 'Show the rule of now',
    history: 'Show its history',
    close: 'Show the rule all the same',
    what: 'The revision',
    textOf: (revision: number) => `Text of revision ${revision}`,
  },
  policyPage: {
    page: {
      policies: 'Policies',
      what: 'The policy',
      missing: 'There is no such policy in this project',
      showAll: 'Show all policies',
      whyMissing: (auditLog: ReactNode) => <>It may have been deleted. The {auditLog} says by whom.</>,
    },
    content: {
      hosts: 'Hosts',
      usedBy: 'Services that use it',
      revision: (revision: string | number) => `Revision ${revision}`,
      storedBy: (time: ReactNode, by: ReactNode) => (
        <>
          {time} by {by}
        </>
      ),
      digest: 'Digest',
      about: 'About the policy',
      notSaved: ' (not saved)',
      text: 'Text',
      structure: 'Structure',
      try: 'Try a request',
      nodes: 'Nodes',
      traffic: 'Traffic',
      history: 'History',
    },
    saved: {
      oneTitle: 'One raw key was replaced by its SHA-256',
      title: (keys: string | number) => `${keys} raw keys were replaced by their SHA-256`,
      keysStoredNowhere: 'The keys themselves are stored nowhere.',
      goBackTo: (revision: ReactNode) => <>Go back to revision {revision}</>,
    },
    hosts: {
      none: 'None: it allows everything',
      andMore: (rest: string | number) => ` and ${rest} more`,
    },
    services: {
      none: 'None: no proxy runs it',
    },
  },
};
