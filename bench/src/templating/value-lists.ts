/** Lists of real things that path parameters name. */
export const FIRST_NAMES =
  list(`james mary robert patricia john jennifer michael linda david elizabeth william barbara richard susan joseph jessica thomas
sarah charles karen christopher lisa daniel nancy matthew betty anthony sandra mark margaret donald ashley steven kimberly paul emily andrew donna joshua
michelle kenneth carol kevin amanda brian melissa george deborah timothy stephanie ronald rebecca edward laura jason helen jeffrey sharon ryan cynthia jacob
kathleen gary amy nicholas shirley eric angela jonathan anna stephen ruth larry brenda justin pamela scott nicole brandon katherine benjamin samantha samuel
christine gregory emma alexander catherine patrick virginia frank debra raymond rachel jack janet dennis maria jerry heather tyler diane aaron julie jose
yuki wei ahmed fatima olga ivan priya arjun chloe lars ingrid mateo sofia hiroshi mei kofi amara zeynep mehmet`);
export const LAST_NAMES =
  list(`smith johnson williams brown jones garcia miller davis rodriguez martinez hernandez lopez gonzalez wilson anderson thomas taylor
moore jackson martin lee perez thompson white harris sanchez clark ramirez lewis robinson walker young allen king wright scott torres nguyen hill flores green
adams nelson baker hall rivera campbell mitchell carter roberts gomez phillips evans turner diaz parker cruz edwards collins reyes stewart morris morales
murphy cook rogers gutierrez ortiz morgan cooper peterson bailey reed kelly howard ramos kim cox ward richardson watson brooks chavez wood bennett gray
yilmaz kaya schmidt mueller rossi ferrari silva santos tanaka sato ivanov petrov okafor mensah haddad larsen`);
export const NOUNS =
  list(`river mountain falcon rocket garden bridge lantern harbor meadow comet ember willow canyon breeze summit coral marble thunder velvet
cedar saffron orchid glacier pebble raven otter maple copper indigo juniper lotus nebula opal prairie quartz reef sparrow tundra umbra vortex walnut zephyr
anchor beacon cobalt dagger engine forge goblin helium ivory jungle kernel ledger magnet needle oxide parrot quiver rabbit saddle tunnel urchin violin wagon
yeti zinc atlas bamboo cactus desert eclipse feather granite hammer iceberg jasmine kettle lemon mango nutmeg olive pepper quail rose sugar tomato vanilla
website backend frontend parser toolkit sandbox playground monorepo dotfiles compiler dashboard docs infra payments gateway`);
export const ADJECTIVES =
  list(`happy silent golden brave quick lazy bright calm dark eager fancy gentle hidden icy jolly kind little mighty noble old proud
rapid shiny tiny unique vivid warm young zesty ancient broken clever dusty empty fierce giant hollow humble inner jagged keen lunar misty narrow odd pale quiet
rough sharp tall urban vast wild modern open smart simple dynamic real next super`);
export const CITIES =
  list(`london paris berlin madrid rome vienna prague warsaw budapest lisbon dublin athens oslo stockholm helsinki copenhagen amsterdam
brussels zurich geneva istanbul ankara izmir moscow kyiv cairo lagos nairobi johannesburg casablanca dubai riyadh tehran karachi delhi mumbai bangalore chennai
kolkata dhaka bangkok hanoi jakarta manila singapore beijing shanghai shenzhen tokyo osaka seoul sydney melbourne auckland toronto montreal vancouver chicago
boston seattle denver austin dallas houston miami atlanta phoenix portland bogota lima santiago caracas havana quito`);
export const COUNTRIES =
  list(`us gb de fr es it nl be ch at se no dk fi pl cz hu ro bg gr tr ru ua pt ie il ae sa in pk bd cn jp kr tw hk sg my th vn ph id au
nz ca mx br ar cl co pe za ng ke eg ma`);
export const CURRENCIES = list(
  `usd eur gbp jpy chf cad aud nzd sek nok dkk pln czk huf try rub inr cny krw sgd hkd thb mxn brl zar ils aed sar btc eth`,
);
export const LANGUAGES = list(
  `en de fr es it nl pt sv da nb fi pl cs hu ro el tr ru uk ar he hi bn zh ja ko vi th id en-us en-gb pt-br zh-cn zh-tw fr-ca es-mx`,
);
export const TICKERS =
  list(`AAPL MSFT GOOG AMZN TSLA META NVDA NFLX INTC AMD IBM ORCL CSCO ADBE CRM PYPL SQ SHOP UBER LYFT SNAP PINS DIS KO PEP WMT TGT COST
HD LOW NKE SBUX MCD BA CAT GE MMM XOM CVX JPM BAC WFC GS MS V MA AXP BTC-USD ETH-USD EURUSD`);
export const FORMATS = list('json xml csv pdf html yaml txt xlsx');
export const PERIODS = list('day week month year hour quarter D7 D30 D90 D180 daily weekly monthly yearly all');
export const KINDS =
  list(`active pending closed open draft public private standard premium basic custom internal external user group team order product invoice
article image video audio file folder task event message comment lead deal contact company page post like follow credit debit`);
/** Words of paths that people also choose as names. */
export const COLLIDING =
  list(`search status test admin settings users list new me help about default main current latest all info api home demo example data config
events groups stats`);
export const EXTENSIONS = list('pdf png jpg txt csv zip docx mp4 json');

function list(text: string): readonly string[] {
  return text.split(/\s+/);
}
