import { count } from '../../../ui/count.ts';

export const texts = {
  engineForm: {
    form: {
      countedBy: 'Key',
      summary: 'More options',
    },
    bodyNeeded: {
      graphql: 'GraphQL needs request bodies, which this policy does not read yet',
      methods: 'This policy does not read request bodies, where a field (_method) can override the method',
      readBodies: 'Read bodies up to 64 KiB',
    },
  },
  engineSlots: {
    list: {
      enginesOf: (of: string | number) => `Engines of ${of}`,
    },
    slot: {
      errors: (errors: number) => count(errors, 'error'),
    },
    state: {
      own: 'Overrides the domain',
      whyOwn: 'Independent of the domain: a rate limit set here counts separately',
      on: 'On',
      whyOn: 'Set here',
      inherited: 'Inherited from the domain',
      whyInherited: 'The settings of the domain apply here too; all inheriting routes share one limiter',
      off: 'Switched off here',
      whyOff: 'Set for the domain, null here',
      notUsed: 'not used',
    },
    actions: {
      add: 'Add',
      writeOwn: 'Override',
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
      hint: 'Shared secrets only work with the HS algorithms',
    },
  },
};
