/**
 * Words of the literal segments of real API documents, without the plural s. Each occurs in three or more providers of the tuning half of the corpus
 * (README.md); none is from the half that the published figures measure.
 */
export const VOCABULARY: ReadonlySet<string> = new Set(
  `
about accept access account accuracy acknowledge action activate activation active activities activity add additional addons address addresses admin
ads advanced aged agent aggregate aggregated agreements ai air airport alerts alias aliases all allowed analyses analysis analytics analyze and
annotation announcement annual anonymize anonymous answer api app application apply approval approve archive are area article artifacts artists as
asset assign assignments associated associations async attach attachment attendees attribute audio audit auth authenticate authentication
authorization authorize auto autocomplete automations availability available avatar average background balance bandwidth bank barcode base based basic
batch batches beta bill billing bin blobs block blocked board body book booking bookmarks branch branches branding brands broadcast browse browser
buckets build bulk bundle bus business by cache cached calculate calendar call callback campaigns cancel capabilities carbon card case cash catalog
categories category certificate change changeset channel charge chart chat check checkin checkout child children cities class classes classification
clean clear clicks client clone close cloud cluster code collaborators collection column commands comment commit common community companies company
compare compatible complete compliance components conditions confidence config configuration configure configured confirm confirmation connect
connected connection connectors consent console contact containers content context contract contribution contributors control conversations convert
coordinates copy core cost count countries country coverage create credential credit cross cs csv currencies currency current custom customer daily
dashboard data database dataset date day db deactivate dealers decision decline decode default defined definition delay delete deleted delivery demand
dep dependencies dependents deploy deployment describe description destinations detail detailed detect device diff digital dimensions direct directory
disable disconnect discover discovery discussions display distance dns doc document domain down download draft ec echo edit effective election
elements email emoji employee enable encryption end endpoints enrich enterprise entities entity entries environment episodes equipment error estimate
event exchange exec execute executions exists expense experience explorer export expression external extract facilities fact failed failures favorite
favourite feature featured feed feedback fetch field file fill filter financial find firewall first flag flight floating flow folder follow followed
followers following fonts for force forecast forgot fork form format forward free friends from full functions game gen general generate generic genres
geo geocode geometry get git global glossary google grant graph group guest health healthcheck heartbeat help historic historical history hold home
hooks host hotel html icon id identity ignore image import in inactive inbound inbox incidents incoming index individual industries info information
initiate input insights installation instance int integrations intent interests interface internal interval invalidate inventories inventory
invitation invite invoice ip is issue issued item job join journal json jurisdiction jwt key kick known kubernetes label language last latest layer
leave legal level library license lifecycle lifetime like limit line link linked list listing live load local locales location lock log login logo
logout long lookup loss machines mail maintenance major make manage managed management manager manifest manual map mapping mark markdown market master
match max me measure media meeting member membership menu merchant merge message meta metadata methods metric mfa migrate migration milestones min
mobile mode model modules monitor monitoring monthly move movies msg multi multiple music mute my name namespaces nearby nearest network new next node
not note notification notify now number oauth object ocr of off offer office on one online ontology open openapi openid operations options or order
org organisations organization out outbound outgoing output overrides overview owned owner package page paged parameters params parent parse
participants participation partner parts party password past patch path patient pattern pause pay payment payroll pdf peers pending people performance
period permission person personal phone photo picture pin ping pinned place plan platform play playback players playlists plugins png podcasts poi
point policies policy poll pool popular port portfolio position post power pre predict prediction preferences prefix prefixes prefs presence preview
previous price pricing primary priority private process product profile program programmes progress project promote promotions properties property
protection provider provision provisioning proxy psd public publications publish published pull purchase purge push qr quality queries query question
queue quote random range rank rate rating raw reactions read ready reasons reboot receipt received recent recipes recipient recognize recommendations
recommended record recording recover recovery recurring ref reference refresh refund regenerate regions register registered registration registry
reindex reject related relationships release remote remove rename render reopen reorder replace replication replies reply report reporting
repositories repository request requested requirements resend reservations reserved reset resize resolve resource response rest restart restore
restrictions result resume retention retrieve retry return reverse review reviewers revisions revoke reward rights role room root route routing rss
rule run sale samples sandbox save saved scan schedule scheduled scheduling schema scope scores screenshot script search searches seasons secret
sections security segments select self sell send sender sent series server service session set setting setup share shared sheet shipment shipping show
shutdown sign signature signed signing signup sim similar simple single site size skills smart sms snapshot snippets software source spaces spam spec
split square ssh sso standard star starred start state statement stations statistics stats status statuses step stock stop storage store strategies
strategy stream street string stripe sub subaccounts submission submit subscribe subscribers subscription suggest suggested suggestions summaries
summary supported survey suspend swagger swap switch sync syslog system table tabs tag target task tax team template temporary tenant term terminate
test text themes threads thumbnail tiers time timeline timer timestamp to todo token tools top topic total trace track tracking traffic transaction
transfer transitions translate translations tree trending trends trigger trim trip type ui unassign unblock undo unit unlock unmute unpause unpin
unpublish unread unsubscribe up upcoming update updated upgrade upload upsert uri url us usage use user userinfo username using uuid validate
validation validator value variables variants vehicle vendor venues verification verify version video view virtual visibility voice volume wallet
watching watchlist water watermark web webhook well whitelist wifi with without workflow workspaces write xml yaml year zip zones
`
    .trim()
    .split(/\s+/),
);
