export type AgentKind = 'scanner' | 'bot' | 'monitor' | 'sdk' | 'cli' | 'browser' | 'empty' | 'unknown';

/** In this order: a scanner is one even if it also claims to be a browser. Over the user agent in lowercase. */
const KINDS: readonly (readonly [AgentKind, RegExp])[] = [
  [
    'scanner',
    /sqlmap|nuclei|nikto|\bzap\b|zaproxy|burp|masscan|nmap|\bffuf\b|acunetix|nessus|openvas|qualys|wpscan|dirbuster|gobuster|feroxbuster|dirsearch|wfuzz|arachni|w3af|zgrab|netsparker|invicti|jaeles|commix|whatweb|httpx - |projectdiscovery|censysinspect|expanse|l9explore|l9tcpid|nmap scripting/,
  ],
  [
    'monitor',
    /pingdom|uptimerobot|statuscake|kube-probe|elb-healthchecker|googlehc|site24x7|newrelicpinger|datadog|betteruptime|checkly|blackbox.exporter|prometheus\/|zabbix|nagios|icinga/,
  ],
  [
    'bot',
    /googlebot|bingbot|ahrefs|semrush|mj12bot|dotbot|yandex(?:bot|images)|baiduspider|duckduckbot|applebot|facebookexternalhit|twitterbot|slackbot|linkedinbot|discordbot|telegrambot|gptbot|claudebot|ccbot|petalbot|bytespider|amazonbot|\bbots?\b|crawler|spider/,
  ],
  ['cli', /^httpie\/|\bk6\/|vegeta|\bsiege\b|apachebench|\bhey\/|^ab\/|\bwrk\b|hurl\//],
  [
    'sdk',
    /^curl\/|^wget\/|python-requests|python-urllib|python-httpx|aiohttp|go-http-client|okhttp|axios\/|node-fetch|undici|^node(?:$|\/)|postmanruntime|insomnia|java\/|apache-httpclient|jersey|dart:io|dart\/|ruby|faraday|guzzlehttp|libwww-perl|^perl|dotnet|restsharp|grpc-|connect-es|aws-sdk|boto3|reqwest|hyper\//,
  ],
  ['browser', /mozilla\/|opera\//],
];

/** The kind of program that calls itself so. Any client may lie. */
export function classifyAgent(userAgent: string): AgentKind {
  const text = userAgent.trim().toLowerCase();
  if (text === '' || text === '-') return 'empty';
  return KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'unknown';
}
