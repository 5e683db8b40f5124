export const license = {
  title: 'Licence',
  lead: 'No licence is needed. Nothing is locked, nothing expires, and no server is asked.',
  what: 'The licence',
  plan: 'Plan',
  clients: 'Clients',
  limit: (current: number) => `${current}, as many as you like`,
  expires: 'Expires',
  never: 'never',
  reason: 'Why',
};
