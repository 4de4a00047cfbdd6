"""Word lists of general English and of the game table; no names and no text of any session."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TITLES = _words(
    """
    abbess abbot admiral alderman ambassador arbiter archbishop archdruid archmage auntie aunt
    baron baroness bishop boss brother cap'n captain cardinal chancellor chief chieftain
    commander commodore constable corporal councilor councillor count countess dame deacon
    detective doc doctor dr druid duchess duke earl elder emperor empress father friar general
    governor grandfather grandma grandmother grandpa guard guardian guildmaster headmaster
    headmistress high-priest highness inspector jarl judge keeper khan king knight lady lieutenant
    lord madam madame magister magistrate major marquis marshal marshall master mayor miss mister
    mistress monsignor mother mr mrs ms ole old overseer pastor preacher priest priestess prince
    princess private prof professor provost queen ranger reverend saint scribe seeker sergeant
    sergeants sheriff sir sister sorcerer squire thane uncle vicar viceroy viscount warden warlord
    watchmaster widow wizard young clerk chandler miller smith
    """
)

PARTICLES = _words("a an and da de del der di du el in la le of on the van von y")

PLACE_WORDS = _words(
    """
    abbey academy alley arch archipelago avenue bank bay bazaar beach bridge brook castle cathedral
    cave cavern caverns chapel church citadel city city's cliff cliffs coast college continent
    country court cove crossing deep den desert district docks dominion empire estate falls farm
    fens field fields ford forest fort fortress gap gardens gate gates glade glen grave grotto
    grounds grove guild gulf hall halls harbor harbour haven heights hill hills hold hollow house
    inn isle isles island islands keep kingdom labyrinth lake lands library lodge manor marches
    market marsh marshes meadow mill mine mines monastery moor mount mountain mountains mouth narrows
    palace pass passage path peak peaks pier plain plains plane plateau plaza point pond port prison
    province quarter quay range reach realm reef republic ridge river road row ruins sanctum school
    sea shire shoal shore shrine spire spires square stone street strait street summit swamp tavern
    temple territory theater theatre tollhouse tomb tower town trail tunnel university vale valley
    vault village wall ward ways wastes well wharf wilds wood woods yard company brotherhood order
    council clasp league tribe clan army legion society circle trading crew goods shop emporium
    """
)

COMMON = _words(
    """
    a able about above absolutely across action actually after again against age ago ah aha ahead ahh
    ain't alas all almost alone along already alright also although always am amazing among an and
    another any anybody anyone anything anyway apparently are aren't around as aside ask at attack
    aw awesome aww away aye back bad based be because become been before behind being believe below
    besides best better between beyond big bit bless both bring but buy by bye call calm can can't
    cannot careful cast catch cause certainly check cheers cheese christ clearly close cold come
    coming completely congratulations cool correct could couldn't couple crap critical damage damn
    dang day days dear deep definitely dexterity did didn't different do does doesn't doing don't
    done dope double down dude due during each early easy eat eh eight either eleven else enough
    especially even eventually every everybody everyone everything everywhere exactly excellent
    except excuse eyes fair fantastic far fast few fifteen fifth fifty fighting finally find fine
    first five follow following for forget forgive forty forward four fourteen free friend friends
    from fuck fucking full funny gah game gee gentlemen get getting give given giving glad go god
    goddamn gods goes goin' going gone gonna good goodbye goodness goodnight gosh got gotcha great
    greetings guess guys ha had hadn't haha hail half hang happy hard has hasn't hate have haven't
    having he he'd he'll he's heal healing hear heard hell hello help hence her here hers herself hey
    hi high hilarious him himself his history hit hits hmm hold holy honestly honey hopefully hot how
    however huh huge hundred hunter hurry i i'd i'll i'm i've if ignore imagine immediately in indeed
    initiative inside insight instead intelligence interesting into investigation is isn't it it'd
    it'll it's its itself jeez jesus jump just keep kill kind know ladies last later laughing less
    let let's lets level like likewise listen literally little live lo long look looking looks lord
    lots love lovely low lucky luckily luck made magic make makes man many may maybe me mean
    meanwhile might mind mine minus modifier moment more morning most mostly move moves moving much
    must my myself na nah name natural naturally near nearly need neither never new next nice night
    nine nineteen no nobody none nope nor normally not nothing now number o obviously of off oh ok
    okay old on once one ones only onto ooh oof ooo open or originally other others otherwise ouch our
    ours out outside over ow own oy pardon pass passive people perception perfect perhaps persuasion
    pfft plan plane platinum play please plus point poor possibly presumably pretty probably put
    quick quickly quiet quite quote range read ready real really religion remember right roll round
    run running sadly same save saving say saying says second secondly see seeing seems seen sends
    seriously seven seventeen seventy shall she she'd she'll she's shh shit should shouldn't show shut
    side silence similarly since sir sit six sixteen sixty slowly small smart so some somebody
    somehow someone something sometimes somewhere soon sorry sort sounds spell stand standing start
    stay stealth step still stop straight strange strength strike strong stuff such suddenly
    supposedly sure surely sweet swing take taking talk tell ten thank thankfully thanks that that'd
    that'll that's the their theirs them themselves then there there'd there'll there's therefore
    these they they'd they'll they're they've thing things think third thirteen thirty this those
    though thought three through throughout throw thunder thus till time times to today together
    tomorrow tonight too total totally toward towards true trust try trying turn turns twelve twenty
    twice two ugh uh uhh uhm um under understood unfortunately unless until up upon us use using
    usually very wait waiting wake walk walking want was wasn't watch watching we we'd we'll we're
    we've week welcome well were weren't what what'd what'll what're what's whatever when whenever
    where where's wherever whether which while who who'd who'll who's whoa whoever whole whose why
    wild will wisdom wise with within without won't wonder wonderful word words work would wouldn't
    wow wrong ya yay yea yeah year years yeah yep yes yesterday yet yo you you'd you'll you're you've
    young your yours yourself yourselves yup zero bam boom bonus bear bards bye-bye brilliant c'mon
    'cause c charisma constitution arcana athletics acrobatics medicine nature survival deception
    intimidation performance sleight advantage disadvantage armor class dc ac hp npc npcs pc pcs dm
    gm xp d d4 d6 d8 d10 d12 d20 dungeon dungeons dragons dragon dungeon's master player players
    campaign episode session twitch youtube twitter discord facebook instagram reddit kickstarter
    patreon amazon netflix google disney marvel batman superman english french german spanish
    italian russian american british american european irish scottish australian latin greek
    japanese chinese canadian common elvish elven elf elves dwarvish dwarven dwarf dwarves draconic
    infernal abyssal celestial sylvan undercommon giant giants gnome gnomes gnomish goblin goblins
    halfling halflings human humans orc orcs orcish half-elf half-orc tiefling tieflings dragonborn
    drow undead demon demons devil devils fey goliath aasimar genasi kobold kobolds tabaxi barbarian
    bard cleric druid fighter monk paladin ranger rogue sorcerer warlock wizard bear monday tuesday
    wednesday thursday friday saturday sunday january february march april june july august september
    october november december christmas halloween easter thanksgiving hanukkah america england france
    germany japan london paris texas california hollywood york los angeles ireland scotland europe
    africa china canada australia tv usa uk us la nyc ny cd dvd ceo ftp faq pdf rpg vr fps hd bbq diy
    lol wtf omg bff vip iq diy id mvp ups nat crit crits dexterity con dex str int wis cha dpr
    mm mmm mmhmm mhm hmmm hah heh hee ho hoo hooray hurrah hup ick lord's mom mommy dad daddy mama papa
    momma babe baby bro buddy bud pal sweetie sweetheart darling dearie folks team chat everyone's
    nerd internet wi-fi wifi pizza coke pepsi doritos mcdonald's starbucks
    hunter's mark hex shield fireball counterspell banishment polymorph bane sanctuary haste slow
    invisibility guidance thaumaturgy prestidigitation mending message light dispel detect misty
    scrying scry teleport teleportation inspiration eldritch blast sacred flame hellish rebuke cure
    wounds restoration revivify divine smite sneak second surge rage reckless uncanny dodge evasion
    reaction potion potions short rest rests cantrip cantrips hear hmm heck heya hullo huzzah
    north south east west northern southern eastern western northwest northeast southwest southeast
    winter summer spring autumn earth moon sun
    advance aim ambush arrest attention begin begone behold blasphemy charge coward cowards
    dismissed enemies enter farewell faster flee fool fools freeze halt heresy hide impossible
    incoming intruder intruders kneel leave liar liars murder murderer murderers nonsense
    onwards prisoner prisoners regroup reinforcements release reload retreat revenge sacrilege
    scatter seize shoot steady surrender thief traitor traitors treachery treason trespasser
    trespassers unhand vengeance villain villains yield
    ahem hiya hallo cheerio ta ugh tsk aargh argh oops whoops yikes yippee wahey blimey crikey
    accurate again agreed allegedly apologies assassin attorney balls basically battle bitch boo break
    butcher clock concert continue contagion cover council cut daddy daylight delicious
    doom drowning duck evidence eye fallout feather finish fruit fudge geek gently hm hmph howdy
    instinctively lies life lockpick manners massive misses monster motherfucker nevertheless news
    nonetheless notes oi onward orange outstanding persuade phew preference problem psh question quietly
    redemption regardless remind rich role rolling seas sect sleep someday specifically spider splash
    stupid surprise swing tactics technically terrible terribly therapy therefore thieves tops
    trouble useless vision war weapon whatcha whew whisper wine wishing woo woohoo yas blight
    daylight telekinesis spellcasting eyebite faerie fire bolt guiding spiritual dimension door wind wall
    toll dead unseen servant mage hand sharpshooter avenger overlord underdark
    feywild shadowfell hells heaven astral ethereal everyone's goggles cloak boots ring rings bag holding
    armour breastplate longbow shortbow longsword shortsword rapier crossbow arrow arrows scissors
    butter bread coffee tea beer ale whiskey vodka soda candy cookies chips popcorn sandwich
    grandma's internet's grabbing rocks skylights thursdays mondays tuesdays wednesdays fridays
    saturdays sundays prime whack streak spike slick balance chain lightning lighting poison spray
    sorcery thievery wizardry witchcraft archery butchery robbery mastery trickery discovery necromancy
    evocation abjuration conjuration transmutation enchantment divination illusion metamagic
    """
)

PERSON_VERBS = _words(
    """
    says said asks asked replies replied answers answered whispers whispered mutters mutters murmurs
    murmured shouts shouted yells yelled calls called nods nodded looks looked turns turned smiles
    smiled grins grinned laughs laughed chuckles chuckled sighs sighed shrugs shrugged glances
    glanced stares stared frowns frowned winks winked bows bowed kneels knelt sits sat stands stood
    walks walked steps stepped leans leaned leads led follows followed waves waved points pointed
    gestures gestured hands handed takes took gives gave grabs grabbed holds held pulls pulled pushes
    pushed raises raised lowers lowered opens opened closes closed puts put sets set picks picked
    comes came goes went runs ran rushes rushed moves moved stops stopped waits waited watches watched
    listens listened thinks thought knows knew wants wanted needs needed likes liked loves loved hates
    hated believes believed remembers remembered seems seemed appears appeared tells told speaks spoke
    talks talked explains explained continues continued begins began starts started tries tried attacks
    attacked swings swung casts cast strikes struck shoots shot fires fired draws drew fights fought
    kills killed dies died falls fell wakes woke sleeps slept eats ate drinks drank reaches reached
    shakes shook rolls rolled scowls grimaces snorts scoffs gasps growls hisses bellows roars crosses
    clears finishes glares grunts hesitates introduces invites lets lets makes made meets met pauses
    peers presses raps reads returns returned rises rose slides slips smirks spits stares stumbles
    taps throws threw wipes writes wrote works worked lives lived stays stayed used gets got keeps kept
    brings brought beckons blinks breathes cackles charges claps cringes curtsies dashes ducks emerges
    flinches hums hurries joins jumps kicks leaves left lies limps lunges motions offers orders paces
    perks promises rubs rummages scratches scribbles scurries sends sent shows showed shuffles sniffs
    squints storms strides strokes struggles trails twirls vanishes wanders weeps yawns helps helped
    betrayed hired warned warns paid pays owns owned sold sells trusts trusted saved saves
    """
)

AUXILIARIES = _words(
    "is was has had will would does did can could should might must isn't wasn't doesn't didn't "
    "won't wouldn't can't couldn't hasn't also just still never always probably"
)

TELLING = _words(
    "ask asks asked tell tells told thank thanks thanked hug hugs hugged call calls called message "
    "with about against trust trusts help helps helped see saw met meet meets kill killed kills "
    "find found finds for and or like behind beside to by than is "
    "follow follows followed following drag drags dragged warn warns warned warning contact contacted "
    "contacts need needs needed get gets got take takes took hear hears heard know knows knew join "
    "joins joined rescue rescued save saved saves carry carries carried protect free freed fight "
    "fought kiss attack attacked attacks shoot shot hit hits hate hates love loves remember miss "
    "convince invite invited send sent bring brought brings capture captured hire hired honor honour"
)
"""Words that a person follows."""

MOTION = _words(
    "go going goes went gone travel travels travelled traveled travelling traveling sail sails sailed "
    "ride rides rode riding fly flies flew flying teleport teleports return returns returned back head "
    "heads headed heading way road path journey journeyed move moved moving trip get got come came "
    "walk walked walking run close near next here home"
)
"""Words that make "to X" a place."""

KIN = _words(
    "father mother brother sister son daughter uncle aunt cousin grandfather grandmother nephew niece "
    "husband wife friend friends ally mentor master teacher boss leader captain commander guard wizard "
    "sorcerer priest priestess merchant smith king queen prince princess lord lady chief ranger druid "
    "man woman boy girl dwarf gnome elf halfling dragon goddess god named"
)
"""Words for somebody, after which the name stands."""

BODY = _words(
    "face eye eyes hand hands head body voice arm arms leg legs chest shoulder shoulders back hair mouth "
    "neck throat feet foot finger fingers heart skull mind soul blood corpse mother father brother "
    "sister son daughter wife husband uncle family side turn armor expression attention gaze smile"
)
"""What only somebody has."""

PRONOUNS = _words(
    "he she him her his hers himself herself he's she's he'd she'd he'll she'll who whom"
)

PLACE_PREPOSITIONS = _words(
    "in at into near toward towards outside inside through across around throughout within beyond "
    "upon via under over above below leaving entering reach reached visit visited on north south "
    "east west of"
)

DETERMINERS = _words(
    "the a an this that these those my your his her our their its some any no every each another "
    "one two three four five six seven eight nine ten which what"
)

AFTER_IS = _words(
    "a an the about above already also always asleep at away back been behind beside busy dead down "
    "gone got had here here's hurt in just more never next no not now off on out over quite ready "
    "still there too trying unconscious under up very with your"
)
"""Words after ``X's`` that make it ``X is`` or ``X has``."""

NAMED_AFTER_PEOPLE = _words(
    "temple shrine horn sword champion paladin cleric priest priestess follower followers worshippers "
    "church order symbol house hand eye statue children sons daughters god goddess"
)
"""Heads of ``of X`` that make it a thing or an affiliation."""

USING = _words(
    "cast casts casting use uses using used activate activates activating level spell cantrip feat "
    "learn learned prepare prepared memorize concentrating upcast play plays playing watch watched "
    "1st 2nd 3rd 4th 5th 6th 7th 8th 9th extra do does did doing"
)
"""Words before what is used, cast, played or watched."""

GAME_NOUNS = _words(
    "spell spells attack attacks damage save saves saving check checks slot slots feat feats die dice "
    "roll rolls points point charges charge action ability abilities bonus level levels movie movies "
    "film show series song songs game games book books video episode episodes season reference style "
    "effect effects scroll scrolls potion potions modifier proficiency cantrip ritual"
)
"""Words after a spell, a technique or a work, and not after a person."""

PLURAL_VERBS = _words("are were have aren't weren't haven't we they")
"""Words after the name of a group."""
