export const texts = {
  title: 'Licence',
  lead: 'No licence is needed. No feature is locked, nothing expires, and no licence server is contacted.',
  what: 'The licence',
  plan: 'Plan',
  clients: 'Clients',
  limit: (current: number) => `${current}, unlimited`,
  expires: 'Expires',
  never: 'never',
  reason: 'Reason',
};
