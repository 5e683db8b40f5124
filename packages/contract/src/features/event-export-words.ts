/* Without schemas, because the form uses the list, too. */

export const EVENT_EXPORT_DECISIONS = ['allowed', 'blocked', 'detected'] as const;
