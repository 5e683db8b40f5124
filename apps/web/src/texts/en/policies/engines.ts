export const engines = {
  engineForm: {
    form: {
      countedBy: 'Key',
      summary: 'More options',
    },
    bodyNeeded: {
      graphql: 'This policy reads no request bodies yet, and GraphQL is in them',
      methods: 'This policy reads no request bodies yet, and a field in them (_method) may ask for another method',
      readBodies: 'Read bodies up to 64 KiB',
    },
  },
  engineSlots: {
    list: {
      enginesOf: (of: string | number) => `Engines of ${of}`,
    },
    slot: {
      errors: (count: string | number) => `${count} errors`,
    },
    state: {
      own: "Own, instead of the domain's",
      whyOwn: "Independent of the domain's: a rate limit written here counts for itself",
      on: 'On',
      whyOn: 'Written here',
      inherited: 'Inherited from the domain',
      whyInherited: "The domain's block holds here, too: one limiter counts for all that inherit it",
      off: 'Switched off here',
      whyOff: 'The domain has it; here it stands as null',
      notUsed: 'not used',
    },
    actions: {
      add: 'Add',
      writeOwn: 'Write its own',
      switchOff: 'Switch off',
      inheritAgain: 'Inherit again',
      remove: 'Remove',
    },
  },
  keyFileChoice: {
    files: {
      publicKey: 'Public key',
      jwks: 'Key set (JWKS)',
      hmacSecret: 'Shared secret',
    },
    choice: {
      label: 'Verified by',
      hint: 'Shared secrets are for the HS algorithms alone',
    },
  },
};
