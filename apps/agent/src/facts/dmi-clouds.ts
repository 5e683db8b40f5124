/** Fields of /sys/class/dmi/id (SMBIOS) that identify a machine. Only root can read `product_uuid` and `product_serial`. */
export const DMI_FIELDS = [
  'bios_vendor',
  'bios_version',
  'board_asset_tag',
  'chassis_asset_tag',
  'product_name',
  'product_serial',
  'product_uuid',
  'sys_vendor',
] as const;
export type DmiField = (typeof DMI_FIELDS)[number];
export type Dmi = Readonly<Partial<Record<DmiField, string>>>;

export const CLOUDS = ['aws', 'gcp', 'azure', 'openstack', 'digitalocean', 'hetzner', 'oracle', 'alibaba'] as const;
export type Cloud = (typeof CLOUDS)[number];

export interface Sign<Name extends string = string> {
  readonly name: Name;
  /** Where it was read, for people. */
  readonly source: string;
}

interface Fingerprint<Name extends string> {
  readonly name: Name;
  readonly field: DmiField;
  readonly value: RegExp;
}

/** As documented by the providers, and as cloud-init's ds-identify knows them. */
const CLOUD_FINGERPRINTS: readonly Fingerprint<Cloud>[] = [
  { name: 'aws', field: 'sys_vendor', value: /^Amazon EC2$/ },
  { name: 'aws', field: 'bios_vendor', value: /^Amazon EC2$/ },
  // Instances on Xen.
  { name: 'aws', field: 'bios_version', value: /^\d[\d.]*\.amazon$/ },
  { name: 'gcp', field: 'product_name', value: /^Google Compute Engine$/ },
  { name: 'azure', field: 'chassis_asset_tag', value: /^7783-7084-3265-9085-8269-3286-77$/ },
  { name: 'openstack', field: 'sys_vendor', value: /^OpenStack Foundation$/ },
  { name: 'openstack', field: 'product_name', value: /^OpenStack (?:Nova|Compute)$/ },
  {
    name: 'openstack',
    field: 'chassis_asset_tag',
    value: /^(?:OpenStack (?:Nova|Compute)|OpenTelekomCloud|HUAWEICLOUD|SAP CCloud VM|Samsung Cloud Platform)$/,
  },
  { name: 'digitalocean', field: 'sys_vendor', value: /^DigitalOcean$/ },
  { name: 'hetzner', field: 'sys_vendor', value: /^Hetzner$/ },
  { name: 'oracle', field: 'chassis_asset_tag', value: /^OracleCloud\.com$/ },
  { name: 'alibaba', field: 'product_name', value: /^Alibaba Cloud ECS$/ },
  { name: 'alibaba', field: 'sys_vendor', value: /^Alibaba Cloud$/ },
];

/** The first match counts: a product is more specific than its vendor. */
const HYPERVISOR_FINGERPRINTS: readonly Fingerprint<string>[] = [
  { name: 'virtualbox', field: 'product_name', value: /^VirtualBox$/ },
  { name: 'vmware', field: 'product_name', value: /^VMware/ },
  { name: 'vmware', field: 'sys_vendor', value: /^VMware, Inc\.$/ },
  { name: 'hyperv', field: 'product_name', value: /^Virtual Machine$/ },
  { name: 'xen', field: 'product_name', value: /^HVM domU$/ },
  { name: 'xen', field: 'sys_vendor', value: /^Xen$/ },
  { name: 'kvm', field: 'product_name', value: /^(?:KVM|RHEV Hypervisor|oVirt Node)$/ },
  { name: 'kvm', field: 'sys_vendor', value: /^QEMU$/ },
  { name: 'kvm', field: 'bios_vendor', value: /^(?:SeaBIOS|Bochs)$/ },
];

/** Every cloud that the firmware names, with the first field that does. More than one is a contradiction. */
export function findCloudSigns(dmi: Dmi): Sign<Cloud>[] {
  const signs = findSigns(CLOUD_FINGERPRINTS, dmi);
  return signs.filter(({ name }, i) => signs.findIndex((one) => one.name === name) === i);
}

export function findHypervisorSign(dmi: Dmi): Sign | undefined {
  return findSigns(HYPERVISOR_FINGERPRINTS, dmi)[0];
}

/** Clouds that write the id of the server into the firmware, and the form of the id. */
const SERVER_IDS: Readonly<Partial<Record<Cloud, { readonly field: DmiField; readonly value: RegExp }>>> = {
  aws: { field: 'board_asset_tag', value: /^i-[0-9a-f]{8,17}$/ },
  digitalocean: { field: 'product_serial', value: /^\d{1,19}$/ },
  hetzner: { field: 'product_serial', value: /^\d{1,19}$/ },
  openstack: { field: 'product_uuid', value: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ },
};

export function readServerId(cloud: Cloud, dmi: Dmi): Sign | undefined {
  const known = SERVER_IDS[cloud];
  const value = known && dmi[known.field]?.toLowerCase();
  return value !== undefined && known?.value.test(value) ? { name: value, source: `DMI ${known.field}` } : undefined;
}

function findSigns<Name extends string>(fingerprints: readonly Fingerprint<Name>[], dmi: Dmi): Sign<Name>[] {
  return fingerprints.flatMap(({ name, field, value }) => {
    const found = dmi[field];
    return found !== undefined && value.test(found) ? [{ name, source: `DMI ${field} "${found}"` }] : [];
  });
}
