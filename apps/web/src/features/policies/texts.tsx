import type { ReactNode } from 'react';
import { count } from '../../ui/count.ts';

export const texts = {
  newPolicyPage: {
    page: {
      title: 'New policy',
      titleOfCopy: (from: string | number) => `Copy of ${from}`,
      lead: 'A policy decides which requests the filter allows. It is sent to every proxy of the services that use it.',
      notAllowed: 'Only admins and owners can change policies',
      whomToAsk: 'Ask one of them to create it.',
      what: 'The policy to copy',
    },
    form: {
      question: (name: string) => `Create policy ${name}?`,
      done: (name: string | number) => `Policy ${name} is saved.`,
      restored: 'Your unsaved input was restored.',
      rawKeysNotKept: 'Raw keys are never kept in the browser. Enter them again where the text says key: "".',
      secretFilesNotCopied: 'Secret files are not copied because they cannot be read back. Add them again.',
      name: 'Name',
      nameMissing: 'Enter a name',
      nameHint: 'Letters, digits, dots and dashes. Services refer to the policy by its name',
      host: 'Host',
      hostHint: 'The host that the template covers. *.example.com covers subdomains, * covers all hosts',
      failed: 'The policy was not created',
      review: 'Review and create',
      backToStarter: 'Reset to template',
      action: 'Create',
    },
  },
  policiesPage: {
    filters: 'Filter status',
    state: 'State',
    states: { unused: 'Unused' },
    create: 'Create policy',
    title: 'Policies',
    lead: 'Rules for the filter of each proxy: which requests to allow, block or count.',
    traffic: 'Requests in the last hour, by policy verdict',
    what: 'The counts',
    noTraffic: 'No requests reported. Counts arrive about ten seconds after the requests.',
    chart: 'Requests by policy verdict',
    list: 'policies',
    searches: 'Name, description, text',
    emptyTitle: 'No policies yet',
    empty:
      'A policy sets rules such as required API keys and rate limits. Add it to a service, and its proxies enforce it.',
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
      stillUsed: 'It is in use. Remove it from these services first:',
      confirm: 'No service uses it, so no proxy changes. Its history is deleted, too.',
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
      whyNone: 'No service uses it, so no proxy runs it',
      none: 'no service',
    },
  },
  decidingText: {
    title: 'Rule that decided the request',
    earlierTitle: (revision: number) => `Revision ${revision} decided this request`,
    earlier: (newest: number) => `The policy is now at revision ${newest}. This is the rule at the time:`,
    unknownTitle: 'The policy has changed since this request',
    unknown: 'The revision that decided is no longer known. Below is the current text.',
    compare: 'Compare with current',
    showNow: 'Show the current rule',
    history: 'Show its history',
    close: 'Show the rule anyway',
    what: 'The revision',
    textOf: (revision: number) => `Text of revision ${revision}`,
  },
  policyPage: {
    page: {
      policies: 'Policies',
      what: 'The policy',
      missing: { title: 'There is no such policy in this project', showAll: 'Show all policies' },
      whyMissing: (auditLog: ReactNode) => <>It may have been deleted. See the {auditLog}.</>,
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
      title: (keys: number) =>
        `${count(keys, 'raw key was replaced with its', 'raw keys were replaced with their')} SHA-256`,
      keysStoredNowhere: 'The keys themselves are not stored.',
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
