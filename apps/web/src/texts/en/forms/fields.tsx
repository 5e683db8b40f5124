import type { ReactNode } from 'react';

export const fields = {
  anyRow: {
    question: (from: string, to: string) => `Replace ${from} by ${to}?`,
    anyRow: {
      textChoose: 'Choose what it is',
      label: (label: string | number) => `JSON of ${label}`,
    },
    carried: {
      textVersionEnvoy: 'This version of Envoy does not know ',
      label: (type: string | number) => `JSON of ${type}`,
    },
    replaceQuestion: {
      text: (to: ReactNode, from: ReactNode) => (
        <>
          {to} has other settings. Replace {from} and all that is set in it?
        </>
      ),
      button: (from: ReactNode) => <>Keep {from}</>,
      buttonReplace: 'Replace',
    },
  },
  extensionRow: {
    extensionRow: {
      title: 'Search extensions',
      titleOpenNew: (text: string | number) => `Open ${text} in a new tab`,
      label: (label: string | number) => `Remove ${label}`,
    },
    reference: {
      textStoredDocument: 'stored document',
    },
  },
  fieldDocs: {
    text: (label: string | number) => `${label} in Envoy's documentation`,
  },
  fieldLabel: {
    title: 'Required',
    textRefusedEnvoy: 'refused by Envoy',
    text: (deprecatedSince: string | number) => ` since ${deprecatedSince}`,
  },
  inlineRow: {
    stored: (day: string) => `Set on ${day}. Write a new value to replace it; left empty, it stays.`,
    text: (button: ReactNode) => <>The stored value is cleared when you save. {button}</>,
    button: 'Keep it',
    label: (label: string | number) => `Remove ${label}`,
    labelClearStored: (label: string | number) => `Clear the stored ${label}`,
  },
  itemActions: {
    textNotWhile: ': not while stored secrets belong to the items by their position',
    text: (part: string | number) => `item ${part}`,
    titleUp: (name: string | number, reason: string | number) => `Move ${name} up${reason}`,
    titleDown: (name: string | number, reason: string | number) => `Move ${name} down${reason}`,
    titleCopy: (name: string | number, reason: string | number) => `Duplicate ${name}${reason}`,
    titleRemove: (name: string | number, part: string | number) => `Remove ${name}${part}`,
    ariaLabel: (part: string | number) => `Item ${part}`,
  },
  listRow: {
    textNone: 'None',
    label: (label: string | number) => `Remove ${label}`,
    text: 'Show those before',
    textShowMore: 'Show more',
    button: (part: ReactNode) => <>Add {part}</>,
  },
  mapRow: {
    mapRow: {
      textNone: 'None',
      label: (label: string | number) => `Remove ${label}`,
      labelValue: 'Value',
      labelRemove: (part: string | number) => `Remove ${part}`,
      textPair: 'the pair',
      button: (part: ReactNode) => <>Add {part}</>,
    },
    mapKey: {
      placeholder: 'Key',
      text: (problem: ReactNode) => <>Key {problem}</>,
    },
  },
  messageFields: {
    messageFields: {
      text: (shortType: ReactNode, reason: ReactNode, button: ReactNode) => (
        <>
          The fields of {shortType} could not be fetched: {reason}. {button}
        </>
      ),
      button: 'Try again',
      reason: (type: string | number) => `This version of Envoy does not know ${type}.`,
    },
    knownFields: {
      text: 'Nothing is set: all defaults.',
    },
    addField: {
      groupDeprecated: 'Deprecated',
      groupFields: 'Fields',
      title: (type: string | number) => `Search fields of ${type}`,
      button: (span: ReactNode) => <>Add field{span}</>,
      text: (count: ReactNode) => <>{count} more</>,
      ariaLabel: "in Envoy's documentation",
    },
    skeleton: {
      text: 'Loading fields',
    },
  },
  nestedRow: {
    messageRow: {
      text: (button: ReactNode) => <>Not set. Filling in a field sets it, or {button}.</>,
      button: 'set it with defaults only',
    },
    set: {
      textSet: 'Set',
    },
    describeState: {
      textSetNot: 'Set, not shown',
      textNotSet: 'Not set',
    },
    clearedRow: {
      text: 'The stored value is cleared when you save. ',
      button: 'Keep it',
    },
    groupActions: {
      label: (label: string | number) => `Remove ${label}`,
      ariaLabel: (label: string | number) => `Clear the stored ${label}`,
    },
    holderRow: {
      textNotSet: 'Not set',
    },
  },
  oneofRow: {
    title: 'One is required',
    textChooseOne: 'Choose one',
    textNone: 'None',
    titleSearch: (part: string | number) => `Search ${part}`,
    textOneThese: 'One of these is required',
    label: (part: string | number) => `Choose no ${part}`,
  },
  pickExtension: {
    pickExtension: {
      title: 'Search extensions',
    },
    offerExtensions: {
      textMostUsed: 'Most used',
      textAll: 'All',
      textDeprecated: 'Deprecated',
    },
    toReference: {
      group: 'Stored documents',
    },
  },
  rawRow: {
    label: (label: string | number) => `Remove ${label}`,
  },
};
