/**
 * Words of the literal segments of real API documents. Each occurs in two or more providers of the tuning half of the corpus (README.md); none is from the half
 * that the published figures measure. Written by `node bench/src/templating-fit.ts`.
 */
export const VOCABULARY: ReadonlySet<string> = new Set(
  `
abort about acc accept access account accounting accuracy acknowledge action activate activation active activities activity actors adapters add
additional addon address addresses admin administration ads advanced age aged agent aggregate aggregated agreement ai air airlines airport album
alerts alias aliases alive all allocations allowed alpha alternatives amount analyses analysis analytics analyze ancestors and angle annotation
announcement annual anon anonymize anonymous answer any api apikeys apiv app applicant application applied apply approval approve archive are area
arrival article artifacts artist as asset assign assignees assignments associated association async at atm attach attachment attempt attendees
attribute audience audio audit auth authenticate authentication author authorization authorize authorized auto autocomplete automatic automation
autopilot availabilities availability available avatar average awaiting aws axes axis backend background backup balance balancers ban bandwidth bank
banned banner barcode base based basic batch batches bay begin beta between bill billing bin blacklist blob block blocked blog board bodies body book
booking bookmark bot bottom bounces box branch branches branding brands breakdown broadcast browse browser buckets build bulk bundle bus business
button buy by bypass ca cables cache cached calculate calendar call callback campaign cancel candidates capabilities caption car carbon card cargo
carlo cart case cash catalog categories category cdm certificate change changelog changeset channel chapters charge chart chassis chat check checkin
checkout child children chinese chunked circuit cities city class classes classification classify clean clear clicks client clone close cloud cluster
code collaborations collaborators collect collection color column com commands comment commit committee common community companies company
companyinformation compare compatible complete completed complex compliance components compress compute conditional conditions confidence config
configuration configure configured confirm confirmation connect connected connection connectivity connector consent console construction consumer
consumption contact containers content context contract contribution contributors control conversation conversion convert converter coordinates copy
core correlation cost count countries country countrycode coverage create credential credit crop cross crypto cs csv currencies currency current
custom customer daily dashboard data database datacenters dataset date day db dcim de deactivate dealer decision declarations decline decode default
defined definition delay delete deleted deliver deliveries delivery demand demographics deny dep departments departures dependencies dependents deploy
deployment deposit describe description destination destroy detach detail detailed detect device diagnostics dicom dictionary diff digital dimensions
direct directions directories directory disable disconnect discover discovery discussions dismissals display dist distance distinct division dns doc
document domain donations dots down downgrade download draft drivers drives drops dst dtmf duplicate duration duty dynamic easy ec echo edge edit
edited editorial effect effective election element elevation email emergency emoji employee employers employment enable enabled encode encoding
encryption end endpoint energy enforce enqueue enrich enrichment enterprise entities entity entries entry env environment eo episodes eq equipment erc
error estimate eu evaluate event eviction ex exchange exclusion exec execute executions exists exp expense experience explorer export exposed
expression ext extension external extract extras fa facets facilities fact factions factors failed failures family fasta favicon favorite favourite
feature featured feed feedback fetch field file filing fill filter financial find fips firewall first fisher fixed flag flagged flight floating flow
folder follow followed followers following font food for force forecast forgot fork form format formula forward free frequency friends from front fs
fulfillment full functions funding funds game gateway gen general generate generated generic genes genres geo geocode geocoding geojson geometry get
gift git global glossary goal google gpg grant graph graphics group guest gz hangup has hashtag head header health healthcheck heartbeat help hex
hidden hide hierarchy hipchat histogram historic historical history hold holdings home homepage hook host hosted hotel html http icon id ideal
identifier identity if ignore im image import in inactive inbound inbox incident income incoming incremental index indexes individual industries info
information ingredient init initialize initials initiate inline input inquiry insert insights install installation installed instance instant
instantiate institutions instrument insurance int integrations intent interaction interests interface internal internet interval invalidate
inventories inventory invitation invite invoice io ip ipam is iso issue issued issuer item jira jmx job join journal journey json jurisdiction
jurisdictiongeography jwt keep key keywords kick known kubernetes label lan language large last latest law layer ldap leaderboards learning leave
legal length level lfs liabilities library license licensing lifecycle lifetime light like limit line link linked list listing live load local locales
localization locate location lock log login logo logout long lookup loop loss lost loyalty machines mail mailbox maintenance major make manage managed
management manager manifest manual manufacturers map mapped mapping mark markdown market marketing marketplace markup master mastercard match matches
materials matrix max md me mean measure media median meeting member membership menu merchant merge message messaging meta metadata method metric mfa
mib migrate migration milestones min missing mobile mode model moderate modify module monitor monitoring monte month monthly most move movie mp msg
multi multiple music mute my naics name namespaces napalm near nearby nearest net network new next node norm not note notification notify now num
number oauth object ocr odd oembed of off offer office oidc on one online only ontology open openapi openid operation operators optimal options or
order org organisation organization organizers os out outbound outgoing outlet outline output overall overrides overview owned owner pac package page
paged pair pairing panelists panels paragraph parameter params parent parse partial participant participation parties partner parts party password
past patch path pathways patient pattern pause pay payment payout payroll pdf peers pending people perf performance period permission permits person
personal phone photo pi pick picture pin ping pinned pipeline pirate place plain plan platform play playback played players playlists plot plugins png
podcasts poi point policies policy poll polygon pool popular port portfolio portrait position post power pre precheck predict prediction preferences
preferred prefix prefixes prefs premium presence presign preview previous price pricing primary principal priority private privileges process
processing product profile profit program programmes progress project prometheus promote promotions properties property proposal protection protocol
provider provision provisioning proxy psd pub public publication publish published publisher pull punch purchase purchased purge purpose push pv qa qr
qrcode quality queries query question queue quick quota quote races rack radius random range rank rate rated rating ratio raw reaction read reader
ready real realtime rear reasons reboot rebuild receipt receive received recent recipe recipient recognize recommendations recommended record
recording recover recovery recurring redact ref reference referrer refresh refund regenerate region register registered registrants registration
registry reindex reject related relationship release reload remaining reminder remote remove rename render rental reopen reorder replace replicas
replication replies reply report reporting repos repositories repository reputation request requested requirement rerun resend reservations reserved
reset resize resolve resource response rest restart restore restrictions result resume retention retrieve retry return revenue reverse review
reviewers revision revoke reward rights rirs road role rollback roman room root round route routing row rsa rss rule run runners running safe safety
sale saml sample sandbox save saved savings scale scan schedule scheduled scheduler scheduling schema scim scope scoped scores scrape screenshot
script scrobble search searches seasons seatmaps secondary secret sections security segments select selected self sell send sender sent sentiment
series serp server service session set setting settlement setup severity shakespeare share shared sharing sheet ship shipment shipping shopping short
show shutdown sign signal signature signed signing signup sim similar simple single site size skills slack slides slug smart sms snapshot snippets
snmp social socket software songs sort source space spam speak spec speech speed spellcheck split square src ssh ssl sso staff stage standard
standings star stargazers starred start state statement station statistics stats status statuses step stock stop storage store strategies strategy
stream street string stripe structures studies studios study styles sub subaccounts submission submit subscribe subscribers subscription subtitles
suggest suggested suggestions sum summaries summary suppliers support supported survey suspend svc swagger swap switch sync syslog system tab table
tag target task tax taxes taxonomy team teammembers telephony temperature template temporary tenancy tenant term terminate terminations test testers
text themes threads thumbnail ticket tiers time timeentries timeline timer timestamp timezones to todo toggle token tools top topic total totp trace
track tracked tracking trades traffic train training transaction transcript transcription transfer transform transit transition translate translations
travel tree trending trends trial trigger trim trip trivia truststore two tx txt type typeahead ui uk unarchive unassign unban unbind unblock undo
unflag unfollow unicode unit universal unlock unmute unpause unpin unpublish unread unset unsubscribe unsuspend up upcoming update updated upgrade
upload upsert uri url us usage use user userinfo username using utility utils utxo uuid validate validation validator value variables variance
variants vcenter vehicle vendor venue verification verified verify version video view virtual virtualization visibility visible vision vlan vm voice
volume vote vrfs vulnerability wait wallet warmup watch watchers watching watchlist water watermark weather web webhook webinars week weight welcome
well whatsapp where whitelist wifi wiki windows wireless with within without wms word workflow workspace write www xls xml xref yaml year zip zones
`
    .trim()
    .split(/\s+/),
);
