import type { ReactNode } from 'react';

export const fields = {
  anyRow: {
    question: (from: string, to: string) => `Replace ${from} by ${to}?`,
    row: {
      choose: 'Choose what it is',
      json: (label: string | number) => `JSON of ${label}`,
    },
    carried: {
      unknownToEnvoy: 'This version of Envoy does not know ',
      json: (type: string | number) => `JSON of ${type}`,
    },
    replace: {
      question: (to: ReactNode, from: ReactNode) => (
        <>
          {to} has other settings. Replace {from} and all that is set in it?
        </>
      ),
      keep: (from: ReactNode) => <>Keep {from}</>,
      replace: 'Replace',
    },
  },
  extensionRow: {
    row: {
      open: (text: string | number) => `Open ${text} in a new tab`,
    },
    reference: {
      storedDocument: 'stored document',
    },
  },
  fieldDocs: {
    ofField: (label: string | number) => `${label} in Envoy's documentation`,
  },
  fieldLabel: {
    required: 'Required',
    refused: 'refused by Envoy',
    since: (deprecatedSince: string | number) => ` since ${deprecatedSince}`,
  },
  inlineRow: {
    stored: (day: string) => `Set on ${day}. Write a new value to replace it; left empty, it stays.`,
    clearedOnSave: (button: ReactNode) => <>The stored value is cleared when you save. {button}</>,
  },
  itemActions: {
    tiedBySecrets: ': not while stored secrets belong to the items by their position',
    item: (number: string | number) => `item ${number}`,
    up: (name: string | number, reason: string | number) => `Move ${name} up${reason}`,
    down: (name: string | number, reason: string | number) => `Move ${name} down${reason}`,
    copy: (name: string | number, reason: string | number) => `Duplicate ${name}${reason}`,
    remove: (name: string | number, reason: string | number) => `Remove ${name}${reason}`,
    title: (number: string | number) => `Item ${number}`,
  },
  listRow: {
    none: 'None',
    remove: (label: string | number) => `Remove ${label}`,
    showBefore: 'Show those before',
    showMore: 'Show more',
    add: (what: ReactNode) => <>Add {what}</>,
  },
  mapRow: {
    row: {
      none: 'None',
      value: 'Value',
      removePair: (key: string | number) => `Remove ${key}`,
      pair: 'the pair',
      add: (what: ReactNode) => <>Add {what}</>,
    },
    key: {
      key: 'Key',
      problem: (problem: ReactNode) => <>Key {problem}</>,
    },
  },
  messageFields: {
    loading: {
      failed: (shortType: ReactNode, reason: ReactNode, button: ReactNode) => (
        <>
          The fields of {shortType} could not be fetched: {reason}. {button}
        </>
      ),
      tryAgain: 'Try again',
      reason: (type: string | number) => `This version of Envoy does not know ${type}.`,
    },
    knownFields: {
      nothingSet: 'Nothing is set: all defaults.',
    },
    addField: {
      deprecated: 'Deprecated',
      fields: 'Fields',
      search: (type: string | number) => `Search fields of ${type}`,
      add: (count: ReactNode) => <>Add field{count}</>,
      more: (count: ReactNode) => <>{count} more</>,
      inDocumentation: "in Envoy's documentation",
    },
    skeleton: {
      loading: 'Loading fields',
    },
  },
  nestedRow: {
    message: {
      notSet: (button: ReactNode) => <>Not set. Filling in a field sets it, or {button}.</>,
      setDefaults: 'set it with defaults only',
    },
    set: {
      set: 'Set',
    },
    state: {
      setNotShown: 'Set, not shown',
      notSet: 'Not set',
    },
    cleared: {
      clearedOnSave: 'The stored value is cleared when you save. ',
      keep: 'Keep it',
    },
    actions: {
      clearStored: (label: string | number) => `Clear the stored ${label}`,
    },
    holder: {
      notSet: 'Not set',
    },
  },
  oneofRow: {
    required: 'One is required',
    chooseOne: 'Choose one',
    none: 'None',
    search: (group: string | number) => `Search ${group}`,
    oneRequired: 'One of these is required',
    chooseNone: (group: string | number) => `Choose no ${group}`,
  },
  pickExtension: {
    picker: {
      search: 'Search extensions',
    },
    groups: {
      mostUsed: 'Most used',
      all: 'All',
      deprecated: 'Deprecated',
    },
    toReference: {
      storedDocuments: 'Stored documents',
    },
  },
};
