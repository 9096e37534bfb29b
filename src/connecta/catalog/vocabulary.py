"""Words a query uses beside its subject, and words that tools use for one another's actions and things."""

from collections.abc import Mapping, Sequence
from typing import Final

from connecta.catalog.tokens import stem

_STOPS: Final = """
    a about against ahead all along already also always am an and any anybody anyone anything are aren around as at away
    be because been being but by can cannot could couldn d did didn do does doesn doing don each either else ever every
    everybody everyone everything for from give given going gonna got had hadn has hasn have haven having help her here
    him his how i if in instead into is isn it its just kindly let lets ll m many may maybe me might much must my myself
    need needs no of on one only onto or our ours ourselves over please quickly re really s shall she should shouldn so
    some somebody somehow someone something still stuff such t tell than that the their them themselves then there
    these they thing things this those through to tool tools too under us very ve via want wanted wants was wasn we were
    weren what whatever when where which while who whom whose why will with within without would wouldn yet you your
    yours
"""

STOP_WORDS: Final = frozenset(_STOPS.split())
"""Not searched for, unless a query has nothing else."""

_GROUPS: Final = """
    create add new make insert register define generate establish
    create start open begin
    create setup set
    create compose author
    delete remove drop erase destroy discard clear purge strip wipe trash eliminate
    remove uninstall
    update edit modify change alter revise patch rewrite adjust amend
    update upgrade bump
    update refresh sync
    change diff difference delta
    compare diff difference
    read get view show display retrieve fetch load
    read open
    get obtain
    get describe info detail metadata
    list enumerate browse
    search find lookup locate query match seek discover look grep
    write save store persist overwrite put
    memory remember
    memory ram
    record entry row item
    send post publish deliver transmit share
    post announcement
    reply respond answer comment response
    move rename relocate transfer migrate
    copy duplicate clone fork
    run execute invoke launch call trigger exec
    run start
    stop cancel abort halt terminate kill end interrupt
    stop shutdown
    start boot launch
    pause wait suspend hold
    suspend block ban disable deactivate
    enable activate
    append attach add
    revert undo reset restore rollback
    retry rerun redo restart again
    switch checkout
    switch select
    download fetch export
    upload attach import
    convert translate transform
    replace swap substitute
    print dump
    allow permit grant
    grant share
    revoke unshare deny remove
    merge land combine join
    approve accept
    reject decline dismiss
    dismiss close handle
    resolve close fix
    assign delegate
    archive hide
    click press push tap hit
    type enter fill input
    select choose pick
    hover mouse pointer
    navigate go visit open
    back return previous
    scale resize replica
    resize viewport
    schedule plan book arrange
    free available availability
    analyze analyse examine inspect investigate diagnose study analysis
    root cause reason
    recommend suggest advise
    explain plan
    calculate compute
    forecast predict projection
    monitor watch track observe
    subscribe follow watch
    star favorite bookmark favourite like
    react reaction emoji thumb
    verify check validate test confirm
    deploy release ship publish rollout
    install deploy
    apply manifest yaml
    rotate renew
    queue enqueue
    link associate connect
    identify whoami
    use usage consumption utilization
    history log past
    recent latest newest last
    event happen occur activity
    folder directory dir
    file document attachment
    document doc page article
    page wiki article
    child subpage sub
    image picture photo png screenshot svg icon jpg
    screenshot capture snapshot
    presentation slide deck powerpoint
    spreadsheet sheet excel workbook
    sheet cell range
    repository repo codebase
    branch main master
    pullrequest pr pull mergerequest mr
    diff patch
    code source snippet script
    commit revision
    release version
    workflow pipeline ci build action
    job build
    job task
    secret credential password token key
    key dsn
    dependency dependabot package library vulnerability vulnerable
    vulnerability security cve
    finding alert
    alert alarm warning
    alert firing
    alert notification
    notification inbox
    incident outage downtime
    oncall duty pager
    gist snippet
    database db sql postgres postgresql pg
    sql statement
    message msg dm
    dm direct
    channel room conversation
    conversation chat thread discussion
    email mail gmail inbox
    email newsletter
    draft prepare unsent
    drive gdrive
    user member account person people username handle human
    user colleague coworker
    user employee staff
    contact person people
    team group squad
    issue ticket bug story defect problem
    issue error exception crash bug
    error failure fault exception failed broken
    stacktrace traceback stack backtrace
    trace span tracing
    status state
    project backlog
    sprint cycle iteration
    board kanban scrum
    epic initiative
    worklog hour time spend
    label tag category
    attachment attach
    permission access right role
    link relation relationship connection connect edge
    node entity vertex
    node machine server host
    url link web website page internet site
    deeplink link
    browser tab
    dropdown menu combobox
    dialog popup modal alert
    form field
    form survey questionnaire
    console devtools
    network request http api
    javascript js
    typescript ts
    kubernetes k8s kubectl kube cluster
    pod container
    pod workload
    container docker
    command shell cmd terminal
    log output
    metric statistic stat
    cpu processor
    dashboard chart graph panel board visualization
    annotation annotate mark
    datasource source
    prometheus promql
    log logql
    configuration config setting option preference
    authentication auth login signin
    calendar agenda schedule
    event meeting appointment call
    column schema field
    schema structure
    index indice
    slow slowest latency performance
    health healthy
    size large big length
    nested recursive tree
    current now today
    task todo reminder
    due deadline
    price cost amount
    cost spend bill expense
    price plan
    invoice bill
    payment charge transaction
    refund money reimburse
    balance money fund
    dispute chargeback contest
    evidence proof
    coupon discount promo voucher
    subscription recurring plan subscriber
    checkout payment
    customer client buyer consumer
    lead prospect
    deal opportunity
    company organization organisation org business
    ticket request support
    macro template canned
    instance vm server virtualmachine ec2
    bucket s3 storage
    function lambda serverless
    queue sqs
    dynamodb dynamo
    audit cloudtrail
    cache cdn
    purge invalidate
    dns domain nameserver
    namespace environment
    environment env
    log trace
    note memo
    comment remark feedback
    phone call telephone
    address location
    location place coordinate geo
    route direction path
    near nearby
    weather temperature
    color colour palette
    style theme
    key value kv
    text content body
    name title
    id identifier uid
    parameter param argument arg
    variable var
    function func
    administrator admin
    information info
    application app
    statistic stat
    specification spec
    maximum max
    minimum min
    index idx
    asynchronous async
    translation language
    time clock timezone
    date day
    convert exchange
    currency money
    sum total
    count number
    video movie film
    music song track
    order purchase
    product item sku
    stock inventory
    ship shipment delivery
    hire recruit
    job position vacancy
    candidate applicant
    child children
"""


def _synonyms() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in _GROUPS.strip().splitlines():
        group = [stem(word) for word in line.split()]
        for word in group:
            found.setdefault(word, {}).update(dict.fromkeys(group))
    return {word: tuple(other for other in others if other != word) for word, others in found.items()}


SYNONYMS: Final[Mapping[str, Sequence[str]]] = _synonyms()
"""Stem to the stems that may stand for it. They count for less than the word itself."""
