import type { FlagTexts, RiskFlag } from './risk-flags.ts';

/** Flags that speak of an attacker. */
export const THREAT_TEXTS = {
  brute_force_suspect: {
    title: 'Suspected guessing of passwords',
    what: 'A caller was refused many times in a short time at an operation that signs people in.',
    why: 'Such callers try lists of stolen passwords. One that matches opens an account.',
    detected:
      'Ten refusals (401 or 403) of one consumer within a minute, or twenty of one anonymous address that are at least half of its attempts.',
    steps: [
      'Add a rate limit for each address to the sign-in path.',
      'Require a second factor for accounts that matter.',
      'Look at the sources in the events of the operation, and block those that do not stop.',
    ],
  },
  payment_abuse_suspect: {
    title: 'Suspected abuse of payments',
    what: 'A caller had many declined payments in a short time.',
    why: 'Stolen card numbers are tested this way. The provider of payments charges for it, and may close the account.',
    detected: 'Ten declined payments of one consumer or address within a minute that are at least half of its calls.',
    steps: [
      'Add a low rate limit for each consumer and address to the payment path.',
      'Require an authenticated customer before a payment.',
      'Ask the provider of payments to check for card testing.',
    ],
  },
  threat_intel_hit: {
    title: 'Source in a threat feed',
    what: 'A request came from an address that a threat feed of the project lists.',
    why: 'Listed addresses have attacked others before.',
    detected: 'The address of the peer is in an enabled threat feed.',
    steps: ['Block the feed in the security policy.', 'Look at what the address requested and what it received.'],
  },
  bfla_suspect: {
    title: 'Privileged function without authentication',
    what: 'An anonymous request to an administration, account or export operation was accepted.',
    why: 'Anyone who knows the address can use the function.',
    detected:
      'An answer of class 2xx to a request without credentials that writes, or names an object, in one of these categories.',
    steps: [
      'Require authentication for the path in the security policy.',
      'Check in the application that the caller has the role that the function needs.',
    ],
  },
  bola_suspect: {
    title: "Suspected access to other people's objects",
    what: 'One consumer asked for many different objects, and many of them were refused.',
    why: 'The caller counts through ids. Any object that is not protected is read.',
    detected: 'Fifty different ids of one consumer and operation within a minute, ten or a quarter of them refused.',
    steps: [
      'Check in the application that the caller owns the object, for each request.',
      'Use ids that cannot be guessed.',
      'Add a rate limit for each consumer.',
    ],
  },
  rate_anomaly: {
    title: 'Unusual rate of a consumer',
    what: 'One consumer sent more requests than the limit of the detector.',
    why: 'It may copy data, or exhaust the application.',
    detected: 'More than 1,000 requests of one consumer within a minute. The detector is off by default.',
    steps: ['Add a rate limit for each consumer.', 'Ask the owner of the consumer what it does.'],
  },
  ip_rate_anomaly: {
    title: 'Unusual rate of an address',
    what: 'One address sent more requests than the limit of the detector.',
    why: 'It may copy data, or exhaust the application.',
    detected: 'More than 1,000 requests of one address within a minute. The detector is off by default.',
    steps: [
      'Add a rate limit for each address.',
      'Check that the address is not a proxy of yours that hides its clients.',
    ],
  },
  replay_suspect: {
    title: 'Suspected replay of signed requests',
    what: 'The same signed request was accepted several times.',
    why: 'Someone who recorded a request can repeat it, for example a webhook or a payment.',
    detected: 'One signed request that was accepted three times within five minutes.',
    steps: ['Check the time and a nonce of each signed request in the application.', 'Make the operation idempotent.'],
  },
  scanner_user_agent: {
    title: 'Scanner',
    what: 'The user agent names a tool that looks for vulnerabilities.',
    why: 'Scans precede attacks.',
    detected: 'The user agent is one of a known scanner.',
    steps: ['Turn on the bot engine in the security policy.', 'If it is your own scan, exclude its addresses.'],
  },
  vuln_probe_path: {
    title: 'Probe for a known vulnerability',
    what: 'The path is one that only scanners and attackers request, such as `.env` or `wp-login.php`.',
    why: 'If something answers at the path, secrets or an entrance are public.',
    detected: 'The path matches a list of well-known leaks and exploits.',
    steps: ['Check that the answers are refusals.', 'Block the paths in the security policy.'],
  },
  path_scan_suspect: {
    title: 'Suspected scan of paths',
    what: 'One caller asked for many paths that do not exist.',
    why: 'The caller looks for operations that nobody protects.',
    detected: 'Forty different paths with 404 or 405 of one consumer or address within a minute.',
    steps: ['Add a rate limit for each address.', 'Turn on the bot engine in the security policy.'],
  },
  impossible_travel: {
    title: 'Impossible travel',
    what: 'One consumer sent requests from several continents within an hour.',
    why: 'Its credentials may be stolen.',
    detected: 'Two continents with two changes within an hour, or one change to a network of a hosting provider.',
    steps: ['Revoke the credentials of the consumer.', 'Look at what it requested since the first change.'],
  },
  unsafe_method_on_readonly: {
    title: 'Write to a path that only reads',
    what: 'A request tried to change something like `/healthz` or `/robots.txt`.',
    why: 'Such requests test for servers that accept uploads.',
    detected: 'A POST, PUT, PATCH or DELETE on a well-known path that only answers reads.',
    steps: ['Allow only GET and HEAD on these paths in the route.'],
  },
  pii_observed: {
    title: 'Personal data in addresses',
    what: 'The path or the query contains personal data, a token or a secret.',
    why: 'Addresses are written to logs, histories and caches, where nobody expects such data.',
    detected: 'A value in the path or the query has the form of an email address, a card number and so on.',
    steps: ['Send the value in the body or in a header.', 'Use an id that means nothing to others.'],
  },
  oversized_response: {
    title: 'Unusually large answers',
    what: 'Answers were far larger than usual.',
    why: 'An answer that is too large may contain the data of others.',
    detected: 'Two answers in a row of ten times the learned mean and at least 64 KiB.',
    steps: ['Limit pages and fields in the application.', 'Look at the events with the largest answers.'],
  },
  error_rate_spike: {
    title: 'Unusual share of client errors',
    what: 'The share of client errors rose far above its normal value.',
    why: 'A client is broken, or someone tries inputs.',
    detected: 'The fast mean is three times the slow one and at least 25%, twice in a row; 401 and 429 do not count.',
    steps: ['Look at the events with a status of 4xx by consumer.'],
  },
  auth_inconsistent: {
    title: 'Authentication is inconsistent',
    what: 'Anonymous requests were accepted and refused, while others had credentials.',
    why: 'A part of the operation is not protected as the rest is.',
    detected: 'All three were seen within the active window.',
    steps: [
      'Compare the anonymous requests that were accepted with those that were refused.',
      'Require authentication for the whole path in the security policy.',
    ],
  },
} as const satisfies Partial<Record<RiskFlag, FlagTexts>>;
