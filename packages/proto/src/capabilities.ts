/**
 * Abilities of a host that some commands need. An agent reports those that it can use itself, and whether the host has
 * what they need. `install` is for people whose host lacks it, and ends a sentence that names the host.
 */
export const CAPABILITIES = {
  proxy: {
    title: 'Run Envoy',
    install:
      'Put an Envoy for this machine into the PATH of the agent or name it in ENVOY_BIN, then restart the agent. On Linux with an x64 or arm64 processor the agent downloads Envoy itself.',
  },
  shield: {
    title: 'Run the filter',
    install: 'Install the complete Flotilla program, which includes the filter, and restart the agent.',
  },
  routing: {
    title: 'Read and change routes',
    install:
      'Install FRR, a routing suite (package frr), set bgpd=yes in /etc/frr/daemons and restart its service. The agent finds it within a minute.',
  },
  syslog: {
    title: 'Forward logs to a syslog server',
    install:
      'Install rsyslog (package rsyslog, and rsyslog-gnutls for TLS). The agent finds it within a minute; an older agent needs an update.',
  },
  logshipper: {
    title: 'Ship logs to a search engine',
    install:
      'Install rsyslog (package rsyslog), or Filebeat (package filebeat of Elastic) for Logstash and timestamps. The agent finds it within a minute; an older agent needs an update.',
  },
  network: {
    title: 'Change the network',
    install:
      'Install the packages iproute2, netplan.io and iputils-arping, and run the agent as root (it needs CAP_NET_ADMIN). The agent finds them within a minute.',
  },
  appliance: {
    title: 'Describe the host and create support bundles',
    install:
      'Run the agent on Linux, let it write to its data folder and read /etc/os-release and /proc. An older agent needs an update.',
  },
  ha: {
    title: 'Share addresses with another host',
    install:
      'Install the packages iproute2, iputils-ping and socat, and run the agent as root (it needs CAP_NET_ADMIN) on a host with an IPv4 address. The agent finds them within a minute; an older agent needs an update.',
  },
  waf: {
    title: 'Store WAF modules',
    install: 'Let the agent write to its data folder, update an older agent, and restart it.',
  },
} as const;

export type Capability = keyof typeof CAPABILITIES;
