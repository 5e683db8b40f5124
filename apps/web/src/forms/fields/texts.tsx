import type { ReactNode } from 'react';

export const texts = {
  anyRow: {
    question: (from: string, to: string) => `Replace ${from} with ${to}?`,
    row: {
      choose: 'Choose a type',
      json: (label: string | number) => `JSON of ${label}`,
    },
    carried: {
      unknownToEnvoy: 'This version of Envoy does not know ',
      json: (type: string | number) => `JSON of ${type}`,
    },
    replace: {
      question: (to: ReactNode, from: ReactNode) => (
        <>
          {to} has different settings. Replace {from} and discard its settings?
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
    stored: (day: string) => `Set on ${day}. Enter a new value to replace it, or leave it empty to keep it.`,
    clearedOnSave: (button: ReactNode) => <>The stored value is cleared when you save. {button}</>,
  },
  itemActions: {
    tiedBySecrets: ': not possible while items contain stored secrets',
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
    showBefore: 'Show previous',
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
          The fields of {shortType} could not be loaded: {reason}. {button}
        </>
      ),
      tryAgain: 'Try again',
      reason: (type: string | number) => `This version of Envoy does not know ${type}.`,
    },
    knownFields: {
      nothingSet: 'Nothing set. All defaults apply.',
    },
    addField: {
      deprecated: 'Deprecated',
      fields: 'Fields',
      search: (type: string | number) => `Search fields of ${type}`,
      add: (fields: ReactNode) => <>Add field{fields}</>,
      more: (fields: ReactNode) => <>{fields} more</>,
      inDocumentation: "in Envoy's documentation",
    },
    skeleton: {
      loading: 'Loading fields',
    },
  },
  nestedRow: {
    message: {
      notSet: (button: ReactNode) => <>Not set. Fill in a field, or {button}.</>,
      setDefaults: 'set it with default values',
    },
    set: {
      set: 'Set',
    },
    state: {
      setNotShown: 'Set, hidden',
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
