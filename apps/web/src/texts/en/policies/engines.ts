export const engines = {
  engineForm: {
    engineForm: {
      labelKey: 'Key',
      summary: 'More options',
    },
    bodyNeeded: {
      title: 'This policy reads no request bodies yet, and GraphQL is in them',
      button: 'Read bodies up to 64 KiB',
    },
  },
  engineSlots: {
    engineSlots: {
      ariaLabel: (of: string | number) => `Engines of ${of}`,
    },
    slot: {
      word: (count: string | number) => `${count} errors`,
    },
    slotStateWord: {
      word: "Own, instead of the domain's",
      why: "Independent of the domain's: a rate limit written here counts for itself",
      wordOn: 'On',
      whyWrittenHere: 'Written here',
      wordInheritedFrom: 'Inherited from the domain',
      whyDomainS: "The domain's block holds here, too: one limiter counts for all that inherit it",
      wordSwitchedOff: 'Switched off here',
      whyDomainHere: 'The domain has it; here it stands as null',
      text: 'not used',
    },
    slotActions: {
      label: 'Add',
      labelWriteOwn: 'Write its own',
      labelSwitchOff: 'Switch off',
      labelInheritAgain: 'Inherit again',
      labelRemove: 'Remove',
    },
  },
  keyFileChoice: {
    files: {
      labelPublicKeyFile: 'Public key',
      labelJwksFile: 'Key set (JWKS)',
      labelHmacSecretFile: 'Shared secret',
    },
    keyFileChoice: {
      label: 'Verified by',
      description: 'Shared secrets are for the HS algorithms alone',
    },
  },
};
